"""Plain CSV is scanned many bytes at a time: the result is that of the scan byte by byte."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from sameriver.common.schema import Schema
from sameriver.common.types import STRING
from sameriver.connectors.formats.csv import CsvReader
from sameriver.connectors.formats.csv_text import csv_rules
from sameriver.connectors.formats.format import Columns, Parsed

DECLARED = Schema.of([("a", STRING), ("b", STRING), ("c", STRING)])
WANTED = Schema.of([("c", STRING), ("a", STRING)])

CELL = st.one_of(
    st.text("ab é\r", max_size=12),
    st.text('ab,\n"', max_size=12).map(lambda text: '"' + text.replace('"', '""') + '"'),
)
ROW = st.lists(CELL, min_size=3, max_size=3).map(",".join)
ODD = st.text('ab,\n"\r', max_size=12)


def parsed(text: bytes, last: bool, options: dict[str, str]) -> Parsed:
    rules = csv_rules({"csv.ignore-parse-errors": "true", **options})
    return CsvReader(Columns(declared=DECLARED, wanted=WANTED), rules).parse(text, last)


def check(text: bytes, last: bool) -> None:
    in_lanes = parsed(text, last, {})
    # With comments there is no such scan, and no line here is one.
    by_bytes = parsed(text, last, {"csv.allow-comments": "true"})
    assert in_lanes.changes.rows.equals(by_bytes.changes.rows)
    assert (in_lanes.used, in_lanes.lines) == (by_bytes.used, by_bytes.lines)
    assert in_lanes.counters == by_bytes.counters


@given(st.lists(ROW, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_plain_rows(rows: list[str], end: str, last: bool) -> None:
    check("".join(row + end for row in rows).encode(), last)


@given(st.lists(st.one_of(ROW, ODD), max_size=8), st.booleans(), st.booleans())
def test_rows_of_any_shape(rows: list[str], ended: bool, last: bool) -> None:
    check(("\n".join(rows) + "\n" * ended).encode(), last)


def test_columns_that_are_not_wanted_are_passed_over() -> None:
    found = parsed(b'1,"x, y",3\n4,5,"6""7"\n', True, {})
    assert found.changes.rows.rows() == [("3", "1"), ('6"7', "4")]
