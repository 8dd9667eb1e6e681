"""Files read in pieces side by side give what one look at all of the text gives."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.errors import ExternalError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BYTES, INT, STRING, row
from sameriver.connectors.filesystem import stretches
from sameriver.connectors.filesystem.pieces import TextPieces
from sameriver.connectors.formats import json
from sameriver.connectors.formats.faults import BadRow
from sameriver.connectors.formats.format import Columns, TextReader
from sameriver.connectors.formats.registry import format_of

FLAT = Schema((Field("a", STRING), Field("b", INT)))
DEEP = Schema((Field("a", STRING), Field("b", row([("c", INT), ("d", row([("e", STRING)]))]))))
CSV_TEXT = st.lists(
    st.sampled_from(
        ["x,1\n", 'x,1\r\n', '"x,\n",2\n', '"x""\n",2\n', 'a"b,3\n', '"', "\n", ",", "y", "7", "\\",
         "\r", '\\"', "#", "#c\n", '"q"z,1\n']
    ),
    max_size=25,
).map(lambda parts: "".join(parts).encode())  # fmt: skip
JSON_TEXT = st.lists(
    st.sampled_from(
        ['{"a":"x","b":{"c":1,"d":{"e":"y"}}}\n', '{"b":{"c":1}, "a" : "\\n"}\r\n', "\n", "{}\n",
         '{"a":"x","b":{"c":tru}}\n', '{"b":{"d":{"e":"y"},"c":2},"b":null}\n', '{"a":"', '"}\n',
         '{"b":{"d":{"e":[1}}}\n', '{"b":{"d":{"e":01}},"a":"z"}\n', '{"b":{"d":5}}\n', "}"]
    ),
    max_size=25,
).map(lambda parts: "".join(parts).encode())  # fmt: skip
CSV_OPTIONS = st.fixed_dictionaries(
    {"csv.ignore-parse-errors": st.sampled_from(["true", "false"])},
    optional={
        "csv.disable-quote-character": st.just("true"),
        "csv.escape-character": st.just("\\"),
        "csv.allow-comments": st.just("true"),
    },
)
JSON_OPTIONS = st.fixed_dictionaries(
    {"json.ignore-parse-errors": st.sampled_from(["true", "false"])}
)
SIZES = st.integers(1, 40)


def reader(format: str, schema: Schema, options: dict[str, str]) -> TextReader:
    make = format_of(format).text
    assert make is not None
    return make(Columns(declared=schema, wanted=schema), options)


def at_once(text: bytes, parser: TextReader) -> tuple[pl.DataFrame | None, Counter[str], int]:
    """Rows, what was ignored, and the line of the first bad row, or -1."""
    try:
        parsed = parser.parse(text, True)
    except BadRow as bad:
        return None, Counter(), bad.line
    return parsed.changes.rows, Counter(parsed.counters), -1


def in_pieces(
    path: Path, parser: TextReader, size: int, schema: Schema, block: int
) -> tuple[pl.DataFrame | None, Counter[str], int]:
    counters: Counter[str] = Counter()
    with (
        patch.multiple(stretches, _LEAST=size, _MOST=size, _LOOK=size, _LEAST_SHARE=size),
        patch.object(json, "_BLOCK", block),
    ):
        file = TextPieces(path, parser, counters, "", waits=False)
        try:
            read = list(file.read(0, file.mark))
        except ExternalError as error:
            return (
                None,
                Counter(),
                int(error.message.split(", line ")[1].split(":")[0].split(",")[0]) - 1,
            )
        frames = [piece.changes.rows for piece in read]
        rows = pl.concat(frames) if frames else schema.empty()
        done = 0
        for piece in read:
            # Any piece is a place to go on from.
            again = TextPieces(path, parser, Counter(), "", waits=False)
            rest = [later.changes.rows for later in again.read(piece.start, piece.mark)]
            assert pl.concat(rest).equals(rows[done:])
            assert again.mark == file.mark
            done += len(piece.changes)
    assert all(not piece.last for piece in read[:-1])
    return rows, counters, -1


def check(
    format: str, schema: Schema, text: bytes, options: dict[str, str], size: int, block: int = 1
) -> None:
    parser = reader(format, schema, options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part"
        path.write_bytes(text)
        rows, counters, line = in_pieces(path, parser, size, schema, block)
    expected, ignored, bad = at_once(text, parser)
    assert line == bad
    if expected is not None:
        assert rows is not None
        assert rows.equals(expected)
        assert counters == ignored


@settings(max_examples=150, deadline=None)
@given(CSV_TEXT, CSV_OPTIONS, SIZES)
def test_csv_in_pieces(text: bytes, options: dict[str, str], size: int) -> None:
    check("csv", FLAT, text, options, size)


@settings(max_examples=150, deadline=None)
@given(JSON_TEXT, JSON_OPTIONS, SIZES | st.just(4096), SIZES)
def test_json_in_pieces(text: bytes, options: dict[str, str], size: int, block: int) -> None:
    check("json", DEEP, text, options, size, block)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotes_cut_at_every_byte(tmp_path: Path, end: str) -> None:
    lines = ['"a', 'b",1', "plain,2", '"say ""so"",', '",3', 'it"s,4', '"",5', "last,6"]
    text = end.join(lines).encode()
    path = tmp_path / "part"
    path.write_bytes(text)
    parser = reader("csv", FLAT, {})
    expected, _, _ = at_once(text, parser)
    for size in range(1, len(text) + 2):
        rows, _, _ = in_pieces(path, parser, size, FLAT, 1)
        assert rows is not None
        assert expected is not None
        assert rows.equals(expected)


def test_a_guess_that_was_wrong_is_told() -> None:
    parser = reader("csv", FLAT, {})
    text = b'a"b,1\n"c\nd",2\n"e\n'
    guess = parser.cut(text, sure=False)
    assert parser.parse(text[:guess], last=False).used < guess
    sure = parser.cut(text, sure=True)
    assert parser.parse(text[:sure], last=False).used == sure == len(text) - 3


@pytest.mark.parametrize(
    ("format", "schema", "line"),
    [
        ("csv", FLAT, b"a text that is longer than a view holds,1\n"),
        ("csv", FLAT, b'"a ""text"" that is longer than a view holds",1\n'),
        ("json", DEEP, b'{"a":"a text that is longer than a view","b":{"c":1,"d":{"e":"x"}}}\n'),
        ("json", DEEP, b'{"a":"a text that is longer than a \\n view","b":null}\n'),
        ("raw", Schema((Field("a", STRING),)), b"a text that is longer than a view holds\n"),
        ("raw", Schema((Field("a", BYTES),)), b"a text that is longer than a view holds\n"),
        (
            "debezium-json",
            FLAT,
            b'{"before":null,"after":{"a":"a text that is longer than a view","b":1},"op":"c"}\n',
        ),
    ],
)
def test_rows_own_what_they_hold(format: str, schema: Schema, line: bytes) -> None:
    """The memory of a piece is used again for a later one."""
    text = bytearray(line * 50)
    parser = reader(format, schema, {})
    rows = parser.parse(memoryview(text), True).changes.rows
    text[:] = b"\n" * len(text)
    expected = parser.parse(line * 50, True).changes.rows
    assert rows.height == 50
    assert rows.equals(expected)


def test_a_file_that_is_cut_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b'{"a":"x"}\n' * 200_000)
    file = TextPieces(path, reader("json", FLAT, {}), Counter(), "", waits=False)
    found = file.read(0, file.mark)
    next(found)
    os.truncate(path, 50_000)
    with pytest.raises(ExternalError, match="was changed after it was read: it had"):
        list(found)


def test_a_long_row_among_short_ones(tmp_path: Path) -> None:
    """It is longer than a piece, and than what is looked at for a line end at first."""
    long = "y" * 900_000
    path = tmp_path / "part"
    path.write_text('{"a":"x"}\n' * 9 + f'{{"a":"{long}"}}\n' + '{"a":"z"}\n' * 90_000)
    file = TextPieces(path, reader("json", FLAT, {}), Counter(), "", waits=False)
    rows = pl.concat([piece.changes.rows for piece in file.read(0, file.mark)])
    assert rows["a"].to_list() == ["x"] * 9 + [long] + ["z"] * 90_000
