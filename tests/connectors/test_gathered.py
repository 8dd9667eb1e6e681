"""Columns of JSON gathered block by block, as one look at all of the text gives them."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.frame_block import STRETCHES
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, INT, SMALLINT, STRING, TINYINT, row, timestamp
from sameriver.connectors.formats.faults import BadRow
from sameriver.connectors.formats.format import BlockReader, Columns, Parsed
from sameriver.connectors.formats.registry import format_of

SCHEMA = Schema.of(
    [
        ("tiny", TINYINT),
        ("small", SMALLINT),
        ("number", INT),
        ("big", BIGINT),
        ("text", STRING),
        ("inner", row([("text", STRING), ("time", timestamp(3)), ("deep", row([("n", INT)]))])),
    ]
)
IGNORING = {"json.ignore-parse-errors": "true"}
TEXTS = st.none() | st.text('ab"\\é☃\n', max_size=14) | st.text(min_size=11, max_size=70)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "tiny": st.none() | st.integers(-128, 127),
        "small": st.none() | st.integers(-(2**15), 2**15 - 1),
        "number": st.none() | st.integers(-(2**31), 2**31 - 1),
        "big": st.none() | st.integers(-(2**63), 2**63 - 1),
        "text": TEXTS,
        "inner": st.none()
        | st.fixed_dictionaries(
            {}, optional={"text": TEXTS, "deep": st.none() | st.just({}) | st.just({"n": 7})}
        ),
    },
)


def reader(options: dict[str, str] | None = None, schema: Schema = SCHEMA) -> BlockReader:
    make = format_of("json").text
    assert make is not None
    made = make(Columns(declared=schema, wanted=schema), options or {})
    assert isinstance(made, BlockReader)
    return made


def in_blocks(lines: list[bytes], size: int, made: BlockReader) -> Parsed:
    """Lines read so many at a time, in memory that is used again."""

    def blocks() -> Iterator[memoryview]:
        room = bytearray(sum(map(len, lines)))
        for at in range(0, len(lines), size):
            text = b"".join(lines[at : at + size])
            room[: len(text)] = text
            yield memoryview(room)[: len(text)]

    return made.parse_blocks(blocks(), sum(map(len, lines)))


def line(value: object, ascii: bool = True) -> bytes:
    return json.dumps(value, ensure_ascii=ascii).encode() + b"\n"


def picked(value: dict[str, Any]) -> dict[str, Any]:
    """An object as a row holds it."""
    inner = value.get("inner")
    if inner is not None:
        deep = inner.get("deep")
        deep = None if deep is None else {"n": deep.get("n")}
        inner = {"text": inner.get("text"), "time": None, "deep": deep}
    return {name: value.get(name) for name in SCHEMA.names} | {"inner": inner}


@settings(max_examples=200, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=60), st.booleans(), st.integers(1, 60))
def test_blocks_are_put_together(values: list[dict[str, Any]], ascii: bool, size: int) -> None:
    rows = in_blocks([line(value, ascii) for value in values], size, reader()).changes.rows
    assert rows.schema == SCHEMA.to_polars()
    assert rows.to_dicts() == [picked(value) for value in values]
    counts = [sum(value.get(name) is None for value in values) for name in SCHEMA.names]
    assert [column.null_count() for column in rows] == counts


def test_more_blocks_than_a_column_can_have_stretches() -> None:
    values = [{"text": f"a text that is long enough {n}"} for n in range(3 * STRETCHES + 1)]
    rows = in_blocks([line(value) for value in values], 1, reader()).changes.rows
    assert rows["text"].to_list() == [value["text"] for value in values]


def test_more_lines_than_the_first_block_has() -> None:
    """What there is room for is guessed from it."""
    values = [{"text": "x" * 5000}, *({"big": n} for n in range(5000))]
    for size in (1, 400):
        rows = in_blocks([line(value) for value in values], size, reader()).changes.rows
        assert rows["big"].to_list() == [None, *range(5000)]


def test_blocks_of_any_sizes() -> None:
    """What is expected of later blocks is guessed from those before, and may be wrong."""
    short, long = {"text": "1"}, {"text": "q" * 70_000}
    for values in ([short, *[long] * 100], [{"big": 1}] * 50 + [long] * 50, [long, *[short] * 500]):
        lines = [line(value) for value in values]
        for size in (1, 50):
            rows = in_blocks(lines, size, reader()).changes.rows
            assert rows["text"].to_list() == [value.get("text") for value in values]
        blocks = [memoryview(text) for text in lines]
        for told in (0, 1, 1 << 40):
            rows = reader().parse_blocks(blocks, told).changes.rows
            assert rows["text"].to_list() == [value.get("text") for value in values]


def test_a_row_without_fields() -> None:
    made = reader(schema=Schema.of([("a", row([])), ("b", INT)]))
    for number in (b"2", b'"\\u0032"'):
        lines = [b'{"a":{},"b":%s}\n' % number, b'{"a":null,"b":1}\n']
        rows = in_blocks(lines, 2, made).changes.rows
        assert rows["b"].to_list() == [2, 1]
        assert rows["a"].is_null().to_list() == [False, True]


ODD: dict[bytes, dict[str, Any] | None] = {
    b'{"number": 1.5}': {"number": 1},
    b'{"number": "7"}': {"number": 7},
    b'{"number": "\\u0037"}': {"number": 7},
    b'{"number": true}': {},
    b'{"tiny": 128}': {},
    b'{"inner": 5}': {},
    b'{"inner": {"time": "never"}, "big": 1}': {"big": 1},
    b'{"text": "no UTF-8: \xff"}': {},
    b'{"text": "\xc3"}': {},
    b'{"inner": {"text": }}': {},
    b"nothing": None,
}
"""Lines that need a closer look, and what they come to when errors are ignored; None: no row."""


@pytest.mark.parametrize("size", [1, 3, 100])
def test_what_is_odd_leaves_other_blocks_alone(size: int) -> None:
    values = [{"number": n, "text": f"{n}, a text that is long"} for n in range(40)]
    lines = [line(value) for value in values]
    expected: list[dict[str, Any]] = [picked(value) for value in values]
    for at, (odd, value) in enumerate(ODD.items()):
        lines.insert(4 * at, odd + b"\n")
        expected.insert(4 * at, {} if value is None else picked(value))
    made = in_blocks(lines, size, reader(IGNORING))
    found = made.changes.rows.to_dicts()
    kept = [value for value in expected if value]
    for value in found:
        if value["inner"] is not None:
            assert value["inner"] == {"text": None, "time": None, "deep": None}
            value["inner"] = None
    assert found == kept
    assert made.lines == len(lines)
    assert made.counters["ignored_rows"] == 1


def test_pieces_that_are_mostly_odd_are_read_whole() -> None:
    made = reader()
    lines = [b'{"number": 1.5, "text": "x"}\n', b'{"number": 2, "text": "y"}\n']
    for take, block in (([1, 0, 0], True), ([0, 1, 0, 0], False), ([1, 1, 1], False)):
        rows = in_blocks([lines[which] for which in take], 1, made).changes.rows
        assert rows["number"].to_list() == [which + 1 for which in take]
        assert (made.block is not None) == block


def test_the_first_bad_row_is_told_with_its_line() -> None:
    lines = [line({"number": n}) for n in range(10)]
    lines[7:7] = [b"\n", b'{"number": "x"}\n', b"nothing\n"]
    for size in (1, 2, 100):
        with pytest.raises(BadRow) as caught:
            in_blocks(lines, size, reader())
        assert (caught.value.line, caught.value.text) == (8, "x")


def test_a_missing_field_is_told() -> None:
    strict = reader({"json.fail-on-missing-field": "true"})
    whole = dict.fromkeys(SCHEMA.names)
    assert len(in_blocks([line(whole)], 1, strict).changes) == 1
    for lacking in ({**whole, "inner": {"text": "x"}}, {"tiny": 1}):
        with pytest.raises(BadRow):
            in_blocks([line(whole), line(lacking)], 2, strict)


def test_columns_live_longer_than_their_frame() -> None:
    values = [{"text": f"{n}, a text that is long enough", "big": n} for n in range(3000)]
    frames = [in_blocks([line(v) for v in values], 500, reader()).changes.rows for _ in range(3)]
    texts, numbers = (
        frames[0]["text"].slice(1000, 5),
        frames[1]["big"].filter(pl.Series([True] * 3000)),
    )
    del frames
    gc.collect()
    assert texts.to_list() == [value["text"] for value in values[1000:1005]]
    assert numbers.to_list() == list(range(3000))


def test_a_value_of_another_shape_is_no_fault() -> None:
    """What was tried by the shape of another line must leave nothing behind."""
    lines = [b'{"number":[1],"big":1}\n', b'{"number":null,"big":1}\n'] * 4
    made = in_blocks(lines, 1, reader(IGNORING))
    assert made.changes.rows["number"].to_list() == [None] * 8
    assert made.counters["ignored_fields"] == 4


def resident() -> int:
    """MiB of memory that this process holds."""
    gc.collect()
    text = Path("/proc/self/statm").read_text()
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


WIDE = Schema.of([("n", INT), ("text", STRING), ("big", STRING)])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_rows_kept_of_one_column_keep_no_other() -> None:
    values = [{"n": n, "text": f"a text that is {n}", "big": "x" * 1000} for n in range(4000)]
    lines = [line(value) for value in values]
    made, kept = reader(schema=WIDE), []
    for turn in range(60):
        if turn == 20:
            before = resident()
        rows = in_blocks(lines, 1000, made).changes.rows
        kept.append(rows.select("n", "text")[::100])
    assert resident() - before < 40  # of 160
    assert sum(len(rows) for rows in kept) == 2400


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_text_that_ends_in_an_error_leaves_nothing() -> None:
    lines = [line({"n": n, "text": None, "big": "x" * 1000}) for n in range(2000)]

    def failing() -> Iterator[memoryview]:
        yield memoryview(b"".join(lines))
        raise OSError("gone")

    made = reader(schema=WIDE)
    for turn in range(120):
        if turn == 40:
            before = resident()
        with pytest.raises(OSError, match="gone"):
            made.parse_blocks(failing(), 4 << 20)
    assert resident() - before < 40  # of 160


def brackets(text: str) -> int:
    """Where the value ends that begins with a bracket, by its brackets alone; -1: nowhere."""
    stack, quoted, at = [], False, 0
    while at < len(text):
        sign = text[at]
        if quoted:
            at += sign == "\\"
            quoted = sign != '"'
        elif sign in "[{":
            stack.append("]" if sign == "[" else "}")
        elif sign in "]}":
            if stack.pop() != sign:
                return -1  # nothing closes it
            if not stack:
                return at + 1
        else:
            quoted = sign == '"'
        at += 1
    return -1


SIGNS = ("[", "]", "{", "}", "[]", "{}", "[{}]", '"', '"]"', '"{["', '\\"', '"\\""', ",", " ", "é")
PARTS = st.lists(st.sampled_from((*SIGNS, "x" * 31)), max_size=40)


@settings(max_examples=500, deadline=None)
@given(PARTS, st.sampled_from(["]", "]]", "}]"]))
def test_values_that_nobody_wants_are_passed_over(parts: list[str], closing: str) -> None:
    text = "[" + "".join(parts) + closing
    lines = [f'{{"a":{text},"b":1}}\n'.encode(), b'{"a":[],"b":2}\n'] * 2
    made = in_blocks(lines, 4, reader(IGNORING, Schema.of([("b", INT)])))
    good = brackets(text + ',"b":1}') == len(text)
    assert made.changes.rows["b"].to_list() == ([1, 2, 1, 2] if good else [2, 2])
