"""Functions over columns against what they say of one value, over random values."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from urllib.parse import quote_plus, unquote_plus

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameriver.common import types as t
from sameriver.common.types import DataType, to_polars
from sameriver.functions.urls import url_part
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Column

from .calls import UTC, call

WIDE = Context(prec=400)
TEXTS = st.text(st.sampled_from("aAbB 1%+,='é日😀\\\"x/"), max_size=8)


def compute(name: str, columns: Sequence[tuple[DataType, list[object]]]) -> list[object]:
    """The function over columns."""
    series = [
        pl.Series(f"c{n}", values, dtype=to_polars(type))
        for n, (type, values) in enumerate(columns)
    ]
    args = [Column(f"c{n}", type) for n, (type, _) in enumerate(columns)]
    compiled = compile_expression(call(name, *args), UTC)
    return pl.DataFrame(series).select(compiled.alias("x"))["x"].to_list()


def constant(name: str, values: list[str], *literals: object) -> list[object]:
    """The function over a column, the other arguments being constants."""
    compiled = compile_expression(call(name, Column("c", t.STRING), *literals), UTC)
    return pl.DataFrame({"c": values}).select(compiled.alias("x"))["x"].to_list()


def capitalised(value: str) -> str:
    return re.sub(r"[A-Za-z0-9]+", lambda word: word.group(0).capitalize(), value)


def url_decoded(value: str) -> str | None:
    return None if re.search("%(?![0-9A-Fa-f]{2})", value) else unquote_plus(value)


def padded(value: str, length: int, fill: str, *, left: bool) -> str | None:
    if length < 0 or not fill:
        return None
    missing = length - len(value)
    if missing <= 0:
        return value[:length]
    filler = (fill * missing)[:missing]
    return filler + value if left else value + filler


def located(needle: str, value: str, start: int) -> int:
    return value.find(needle, max(start - 1, 0) if needle else 0) + 1


def overlaid(value: str, by: str, start: int, length: int) -> str:
    if start <= 0 or start > len(value):
        return value
    rest = "" if length <= 0 else value[start - 1 + length :]
    return value[: start - 1] + by + rest


def translated(value: str, source: str, target: str) -> str:
    table: dict[int, int | None] = {}
    for place, letter in enumerate(source):
        table.setdefault(ord(letter), ord(target[place]) if place < len(target) else None)
    return value.translate(table)


ONE: dict[str, Callable[[str], object]] = {
    "INITCAP": capitalised,
    "URL_ENCODE": lambda s: quote_plus(s, safe="*").replace("~", "%7E"),
    "URL_DECODE": url_decoded,
    "ASCII": lambda s: int(np.int8(np.uint8(s.encode()[0]))) if s else 0,
    "HEX": lambda s: s.encode().hex().upper(),
}


@pytest.mark.parametrize("name", ONE)
@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | TEXTS, min_size=1, max_size=6))
@example([None, "%BB", "a%BB%C3é", "%E4%BD%A0", "%ED%A0%80", "%E4%BD+%zz"])
def test_of_a_text(name: str, values: list[object]) -> None:
    expected = [None if value is None else ONE[name](str(value)) for value in values]
    assert compute(name, [(t.STRING, values)]) == expected


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.integers(-2, 12), TEXTS)
@example("abc", 2, "")
def test_padding(value: str, length: int, fill: str) -> None:
    columns: list[tuple[DataType, list[object]]]
    columns = [(t.STRING, [value]), (t.INT, [length]), (t.STRING, [fill])]
    assert compute("LPAD", columns) == [padded(value, length, fill, left=True)]
    assert compute("RPAD", columns) == [padded(value, length, fill, left=False)]
    assert constant("LPAD", [value], length, fill) == [padded(value, length, fill, left=True)]


@settings(max_examples=80, deadline=None)
@given(st.text("ab", max_size=3), st.text("abé", max_size=8), st.integers(-2, 10))
def test_places(needle: str, value: str, start: int) -> None:
    columns: list[tuple[DataType, list[object]]]
    columns = [(t.STRING, [needle]), (t.STRING, [value]), (t.INT, [start])]
    assert compute("LOCATE", columns) == [located(needle, value, start)]


def nth_place(value: str, needle: str, start: int, occurrence: int) -> int:
    """From a negative start the texts are read backward."""
    if start == 0 or not needle:
        return 0 if start == 0 else 1 if start > 0 else len(value) + 1
    if start < 0:
        place = nth_place(value[::-1], needle[::-1], -start, occurrence)
        return place and len(value) - len(needle) - place + 2
    place = start - 1
    for _ in range(occurrence):
        place = value.find(needle, place) + 1
        if not place:
            return 0
    return place


PLACES = st.tuples(
    st.text("abé", max_size=9), st.text("aé", max_size=2),
    st.integers(-11, 11), st.integers(1, 4),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PLACES, min_size=1, max_size=5))
def test_nth_places(rows: list[tuple[str, str, int, int]]) -> None:
    given = [list(column) for column in zip(*rows, strict=True)]
    columns = list(zip((t.STRING, t.STRING, t.INT, t.INT), given, strict=True))
    assert compute("INSTR", columns) == [nth_place(*row) for row in rows]


FORMATS = [
    "%s", "[%5s|%-5s]", "%%%n%d", "%05d", "%2$s-%1$s", "%s%s", "%s %s %s", "%S", "%+d", "%s%0d",
]  # fmt: skip


@pytest.mark.parametrize("template", FORMATS)
@settings(max_examples=10, deadline=None)
@given(st.none() | st.integers(-(2**40), 2**40), st.none() | TEXTS)
def test_constant_formats(template: str, number: int | None, text: str | None) -> None:
    frame = pl.DataFrame(
        {"n": [number], "s": [text], "f": [template]},
        schema={"n": pl.Int64, "s": pl.String, "f": pl.String},
    )
    values = Column("n", t.BIGINT), Column("s", t.STRING)
    both = [call("PRINTF", one, *values) for one in (template, Column("f", t.STRING))]
    constant, column = (
        frame.select(compile_expression(one, UTC).alias("x"))["x"].to_list() for one in both
    )
    assert constant == column


@pytest.mark.parametrize("charset", ["ISO-8859-1", "US-ASCII", "UTF-16BE", "UTF-8"])
@settings(max_examples=20, deadline=None)
@given(st.lists(st.binary(max_size=6) | st.binary(max_size=0), min_size=1))
def test_decoding(charset: str, values: list[bytes]) -> None:
    compiled = compile_expression(call("DECODE", Column("b", t.BYTES), charset), UTC)
    found = pl.DataFrame({"b": values}).select(compiled.alias("x"))["x"].to_list()
    assert found == [value.decode(charset, errors="replace") for value in values]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text('ab"\\ 1n[é', max_size=5).map(lambda s: s if len(s) % 2 else f'"{s}"')))
def test_quotes(values: list[str]) -> None:
    column: list[object] = list(values)
    assert compute("JSON_UNQUOTE", [(t.STRING, column)]) == [unquoted(v) for v in values]


def unquoted(value: str) -> str:
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, str) and value == value.strip() else value


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS, st.integers(-2, 10), st.integers(-2, 10))
def test_overlay(value: str, by: str, start: int, length: int) -> None:
    columns: list[tuple[DataType, list[object]]]
    columns = [(t.STRING, [value]), (t.STRING, [by]), (t.INT, [start]), (t.INT, [length])]
    assert compute("OVERLAY", columns) == [overlaid(value, by, start, length)]


@settings(max_examples=80, deadline=None)
@given(st.text("abé", max_size=8), st.text("abé", max_size=3), st.text("xé", max_size=2))
def test_replacing(value: str, old: str, new: str) -> None:
    columns: list[tuple[DataType, list[object]]]
    columns = [(t.STRING, [text]) for text in (value, old, new)]
    assert compute("REPLACE", columns) == [value.replace(old, new)]
    assert constant("REPLACE", [value], old, new) == [value.replace(old, new)]
    assert compute("TRANSLATE", columns) == [translated(value, old, new)]
    assert constant("TRANSLATE", [value], old, new) == [translated(value, old, new)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
def test_digits(values: list[object]) -> None:
    unsigned = [int(str(value)) & (2**64 - 1) for value in values]
    assert compute("HEX", [(t.BIGINT, values)]) == [f"{value:X}" for value in unsigned]
    assert compute("BIN", [(t.BIGINT, values)]) == [f"{value:b}" for value in unsigned]


def numbers() -> st.SearchStrategy[float]:
    """Numbers of every size, and those at and beside a tie."""
    ties = st.builds(
        lambda whole, places, steps: float(np.nextafter((whole * 10 + 5) / 10.0**places, steps)),
        st.integers(-(10**9), 10**9),
        st.integers(-3, 9),
        st.sampled_from([-math.inf, math.inf]),
    )
    exact = st.builds(
        lambda whole, places: (whole * 10 + 5) / 10.0**places,
        st.integers(-(10**12), 10**12),
        st.integers(0, 12),
    )
    return st.floats(-1e14, 1e14) | ties | exact


def rounded(value: float, places: int, rounding: str) -> float:
    """By the number's shortest text."""
    unit = Decimal(1).scaleb(-places)
    return float(Decimal(repr(value)).quantize(unit, rounding, WIDE)) + 0.0


@pytest.mark.parametrize(("name", "how"), [("ROUND", ROUND_HALF_UP), ("TRUNCATE", ROUND_DOWN)])
@settings(max_examples=150, deadline=None)
@given(st.lists(numbers(), min_size=1, max_size=8), st.integers(-3, 8))
def test_rounding(name: str, how: str, values: list[float], places: int) -> None:
    compiled = compile_expression(call(name, Column("c", t.DOUBLE), places), UTC)
    found = pl.DataFrame({"c": values}).select(compiled.alias("x"))["x"].to_list()
    assert found == [rounded(value, places, how) for value in values]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.none() | st.lists(st.none() | st.integers(-5, 5), max_size=5), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_sorting(values: list[list[int | None] | None], up: bool, early: bool) -> None:
    def one(items: list[int | None]) -> list[int | None]:
        known = sorted((item for item in items if item is not None), reverse=not up)
        nulls: list[int | None] = [None] * (len(items) - len(known))
        return [*nulls, *known] if early else [*known, *nulls]

    compiled = compile_expression(call("ARRAY_SORT", Column("c", t.array(t.INT)), up, early), UTC)
    column = pl.Series("c", values, dtype=pl.List(pl.Int32))
    found = column.to_frame().select(compiled.alias("x"))["x"].to_list()
    assert found == [None if items is None else one(items) for items in values]


URLS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["http://", "HTTPS://", "ftp:", "file://", "", "a b://"]),
        st.sampled_from(["", "user:pw@", "a@b@"]),
        st.sampled_from(["host.org", "h-1:80", "", "[::1]", "é.org", "h:x"]),
        st.sampled_from(["", "/", "/p/é", "/p;x=1", "//"]),
        st.sampled_from(["", "?", "?a=1&b=2", "?b", "?xa=0&a=x%20y?z"]),
        st.sampled_from(["", "#", "#ref", "#r#s"]),
    ),
)
PARTS = ["HOST", "PATH", "QUERY", "REF", "PROTOCOL", "AUTHORITY", "FILE", "USERINFO", "NONE"]


@pytest.mark.parametrize("part", PARTS)
@settings(max_examples=40, deadline=None)
@given(st.lists(URLS, min_size=1, max_size=5))
def test_urls(part: str, values: list[str]) -> None:
    assert constant("PARSE_URL", values, part) == [url_part(value, part) for value in values]
    assert constant("PARSE_URL", values, "QUERY", "a") == [
        url_part(value, "QUERY", "a") for value in values
    ]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text("ab=,;é", max_size=10), min_size=1, max_size=4))
def test_maps_of_text(values: list[str]) -> None:
    columns = [Column(name, t.STRING) for name in "cds"]
    frame = pl.DataFrame({"c": values}).with_columns(d=pl.lit(","), s=pl.lit("="))
    slow = compile_expression(call("STR_TO_MAP", *columns), UTC)
    expected = frame.select(slow.alias("x"))["x"].to_list()
    assert constant("STR_TO_MAP", values) == expected
    assert constant("STR_TO_MAP", values, ",", "=") == expected


@pytest.mark.parametrize("distinct", [3, 2000])
def test_many_rows(distinct: int) -> None:
    """Python is called for each distinct value, or each value if hardly any repeats."""
    values = [None if n % 7 == 3 else f"v{n % distinct}" for n in range(2500)]
    expected = [value and hashlib.sha256(value.encode()).hexdigest() for value in values]
    assert compute("SHA256", [(t.STRING, list(values))]) == expected
