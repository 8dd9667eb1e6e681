"""PARSE_URL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

import polars as pl

from sameriver.functions.distinct import by_distinct
from sameriver.functions.staged import else_by, let

_USUAL = (
    r"^([A-Za-z][A-Za-z0-9+.-]*)://(([A-Za-z0-9._~%:-]*@)?([A-Za-z0-9._~-]+)(?::[0-9]*)?)"
    r"(/[!-\"$->@-~]*)?(?:\?([!-\"$-~]*))?(?:#([!-~]*))?$"
)
"""Groups: scheme, authority, user with @, host, path, query, fragment."""


def parsed_url(args: Sequence[pl.Expr], constants: Sequence[object]) -> pl.Expr:
    """PARSE_URL, whose part, and key, are mostly constants."""
    part, *key = constants
    usual = all(isinstance(one, str) and re.fullmatch("[A-Za-z0-9_]+", one) for one in constants)
    if not usual or (key and part != "QUERY"):
        return by_distinct(url_part, pl.String, *args)

    def taken(groups: pl.Expr) -> pl.Expr:
        fields = [groups.struct.field(str(n)) for n in range(1, 8)]
        if key:
            return _argument(fields[5], str(key[0]))
        return _usual_part(fields, str(part))

    groups = args[0].str.extract_groups(_USUAL)
    known = pl.when(args[0].str.contains(_USUAL)).then(groups.struct.field("1"))
    quick = let(pl.String(), taken, groups)
    slow = else_by(pl.String, known, lambda *odd: by_distinct(url_part, pl.String, *odd), *args)
    return pl.when(known.is_not_null()).then(quick).otherwise(slow)


def _argument(query: pl.Expr, key: str) -> pl.Expr:
    return query.str.extract(f"(?:^|&){key}=([^&]*)", 1)


def _usual_part(fields: Sequence[pl.Expr], part: str) -> pl.Expr:
    scheme, authority, user, host, path, query, fragment = fields
    path = path.fill_null("")
    asked = pl.when(query != "").then(query)
    known = {
        "HOST": host,
        "PATH": path,
        "QUERY": asked,
        "REF": pl.when(fragment != "").then(fragment),
        "PROTOCOL": scheme.str.to_lowercase(),
        "AUTHORITY": authority,
        "FILE": pl.concat_str([path, pl.coalesce("?" + asked, pl.lit(""))]),
        "USERINFO": user.str.strip_suffix("@"),
    }
    return known.get(part, pl.lit(None, dtype=pl.String))


def url_part(url: str, part: str, key: str | None = None) -> str | None:
    """HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO of a URL; NULL if absent.

    With a key, the value of that parameter of QUERY.
    """
    try:
        split = urlsplit(url)
    except ValueError:
        return None
    if not split.scheme or not (split.netloc or split.scheme == "file"):
        return None
    if key is not None:
        return _parameter(split, key) if part == "QUERY" else None
    return _part(split, part)


def _parameter(split: SplitResult, key: str) -> str | None:
    found = re.search(rf"(?:^|&){re.escape(key)}=([^&]*)", split.query)
    return found.group(1) if found else None


def _part(split: SplitResult, part: str) -> str | None:
    user, mark, host = split.netloc.rpartition("@")
    file = split.path + (f"?{split.query}" if split.query else "")
    known = {
        "HOST": host.partition(":")[0],
        "PATH": split.path,
        "QUERY": split.query or None,
        "REF": split.fragment or None,
        "PROTOCOL": split.scheme,
        "AUTHORITY": split.netloc,
        "FILE": file,
        "USERINFO": user if mark else None,
    }
    return known.get(part)
