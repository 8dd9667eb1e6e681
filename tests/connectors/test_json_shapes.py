"""Lines that look alike are read by the shape of one before: what differs must not be missed."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, STRING, row, timestamp
from sameriver.connectors.formats.format import Columns, Parsed
from sameriver.connectors.formats.registry import format_of

SCHEMA = Schema(
    (
        Field("a", BIGINT),
        Field("b", row([("p", BIGINT), ("q", STRING)])),
        Field("c", STRING),
        Field("t", timestamp(3)),
    )
)
LONG = "long enough for more than one step of the shape, "
SHAPES = (
    '{{"a":{0},"b":{{"p":{1},"q":{2}}},"c":{3},"t":{4}}}',
    '{{"x":{1}, "a": {0}, "' + LONG * 2 + '": {3}, "c":{3},"t":{4}, "b" : {{"q":{2}, "p":{1}}} }}',
    '{{"b":null,"a":{0},"x":[{1},{{"a":{3}}}],"c":{2},"t":{4}}}',
    '{{"a":{0},"c":{3}}}',
)
NUMBERS = st.one_of(
    st.just("null"), st.integers(-(2**63), 2**63 - 1).map(str), st.integers(0, 99).map(str)
)
TEXTS = st.one_of(st.none(), st.text('ab"\\\n\té', max_size=50)).map(json.dumps)
TIMES = st.one_of(
    st.just("null"),
    st.builds(
        '"2024-02-{:02}{}{:02}:{:02}:{:02}{}"'.format,
        st.integers(27, 29), st.just(" "), st.integers(0, 23), st.integers(0, 1),
        st.integers(0, 59), st.sampled_from(["", ".5", ".25", ".999", ".1234567"]),
    ),
)  # fmt: skip
LINES = st.builds(str.format, st.sampled_from(SHAPES), NUMBERS, NUMBERS, TEXTS, TEXTS, TIMES)


def parsed(lines: list[str], **options: str) -> Parsed:
    make = format_of("json").text
    assert make is not None
    reader = make(Columns(declared=SCHEMA, wanted=SCHEMA), options)
    return reader.parse("\n".join(lines).encode(), True)


def told(line: str) -> tuple[object, ...]:
    """The row of a line, as Python reads it."""
    value = json.loads(line)
    inner = value.get("b") and {name: value["b"].get(name) for name in "pq"}
    time = value.get("t") and datetime.fromisoformat(value["t"][:23].rstrip("Z"))
    return value.get("a"), inner, value.get("c"), time


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=40))
@example(['{"a":1,"c":"x"}'] * 3 + ['{"a":1,"c":"x","c":null}', '{"c":"y","a":2}'])
def test_lines_of_few_shapes(lines: list[str]) -> None:
    assert parsed(lines).changes.rows.rows() == [told(line) for line in lines]


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=8, max_size=8), st.data())
def test_a_line_that_is_broken_is_left_out(lines: list[str], data: st.DataObject) -> None:
    line = data.draw(st.integers(0, 7))
    at = data.draw(st.integers(0, len(lines[line]) - 1))
    byte = data.draw(st.sampled_from(["", '"', "}", "{", "\\", "1", ",", "\x01"]))
    lines[line] = lines[line][:at] + byte + lines[line][at + 1 :]
    try:
        known = isinstance(json.loads(lines[line]), dict)
    except ValueError:
        known = False
    found = parsed(lines, **{"json.ignore-parse-errors": "true"})
    others = [told(text) for number, text in enumerate(lines) if number != line]
    rows = found.changes.rows.rows()
    if known:
        del rows[line]
    else:
        rows = rows if len(rows) < 8 else [*rows[:line], *rows[line + 1 :]]
    assert rows == others


@pytest.mark.parametrize("after", ["", " ", "\r", " \t"])
def test_what_follows_a_line_that_has_the_shape(after: str) -> None:
    lines = ['{"a":1,"c":"x"}' + after] * 9
    assert parsed(lines).changes.rows["a"].to_list() == [1] * 9


def test_brackets_close_where_lines_before_have_an_array() -> None:
    """Brackets that were open in lines before are not those of this one."""
    lines = ['{"x":' + "[" * 200 + "]" * 200 + ',"a":1}'] * 3 + ['{"x":' + "]" * 600 + ',"a":2}']
    found = parsed(lines, **{"json.ignore-parse-errors": "true"})
    assert found.changes.rows["a"].to_list() == [1] * 3


def test_many_shapes() -> None:
    """More than are remembered, and so many that no line has one of those before."""
    lines = [
        json.dumps({f"x{number % 9}": number, "a": number, f"y{number}": None})
        for number in range(400)
    ]
    assert parsed(lines).changes.rows["a"].to_list() == list(range(400))


def test_more_lines_than_are_found_at_a_time() -> None:
    """And more than the first of them, which are long, let expect."""
    long = "x" * 3_000
    lines = [json.dumps({"a": number, "c": long}) for number in range(50)]
    lines += ["", " ", *(json.dumps({"a": number}) for number in range(50, 60_000))]
    assert parsed([line for line in lines if line != " "]).changes.rows["a"].to_list() == list(
        range(60_000)
    )
    found = parsed(lines, **{"json.ignore-parse-errors": "true"})
    assert found.changes.rows["a"].to_list() == list(range(60_000))
    assert found.counters == {"ignored_rows": 1}
