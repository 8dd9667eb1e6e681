"""PARSE_URL."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit


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
