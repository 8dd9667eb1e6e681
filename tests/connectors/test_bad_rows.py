"""Rows that can't be read: which one is told, where it stands, and what is counted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard
from connector_tables import context, drain, file_options, source, symbols
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.formats.cells import Cells, Kind, bytes_of

PAIR = Schema.of([("a", types.INT), ("b", types.DATE)])
Line = Callable[[object, object], str]


def csv_line(a: object, b: object) -> str:
    return f"{a},{b}"


def json_line(a: object, b: object) -> str:
    return json.dumps({"a": a, "b": b})


def debezium_line(a: object, b: object) -> str:
    return json.dumps({"before": None, "after": {"a": a, "b": b}, "op": "c"})


LINES = {"csv": csv_line, "json": json_line, "debezium-json": debezium_line}


def failure(path: Path, format: str) -> str:
    with pytest.raises(ExternalError) as caught:
        drain(source(context(PAIR, file_options(path, format))))
    assert caught.value.code == "BAD_ROW"
    assert f"'{format}.ignore-parse-errors'" in caught.value.hint
    return caught.value.message


def lines_of(line: Line, bad: dict[int, tuple[object, object]], count: int) -> bytes:
    rows = (line(*bad.get(number, (number, "2026-01-01"))) for number in range(1, count + 1))
    return "".join(f"{row}\n" for row in rows).encode()


@pytest.mark.parametrize("format", LINES)
def test_the_first_bad_row_is_told_whatever_its_column(format: str, tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_bytes(lines_of(LINES[format], {7: (7, "2026-13-01"), 9: ("x", "2026-01-01")}, 20))
    message = failure(file, format)
    at = LINES[format](7, "2026-13-01").index("2026-13-01") + 1
    assert message == f"'{file}', line 7, character {at}, column 'b': '2026-13-01' is no DATE"


@pytest.mark.parametrize("format", LINES)
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_lines_are_counted_from_the_start_of_each_file(
    format: str, ending: str, tmp_path: Path
) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".zst": zstandard.compress,
    }
    line = LINES[format]
    (tmp_path / f"1{ending}").write_bytes(pack[ending](lines_of(line, {}, 50)))
    file = tmp_path / f"2{ending}"
    file.write_bytes(pack[ending](lines_of(line, {60_001: ("x", "2026-01-01")}, 70_000)))
    assert f"'{file}', line 60001, " in failure(tmp_path, format)


@settings(max_examples=40, deadline=None)
@given(
    format=st.sampled_from(list(LINES)),
    bad=st.dictionaries(
        st.integers(1, 30), st.sampled_from([("x", "2026-01-01"), (1, "y"), ("z", "z")]), min_size=1
    ),
)
def test_any_bad_rows(
    format: str,
    bad: dict[int, tuple[object, object]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    file = tmp_path_factory.mktemp("rows") / "rows"
    file.write_bytes(lines_of(LINES[format], bad, 30))
    first = min(bad)
    column, text = ("b", "y") if bad[first][0] == 1 else ("a", bad[first][0])
    message = failure(file, format)
    assert f"line {first}, " in message
    assert f"column '{column}': '{text}' is no " in message


def test_a_header_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text("A,b\n1,2026-01-01\n")
    with pytest.raises(ExternalError, match="line 1, character 1, column 'a'") as caught:
        drain(source(context(PAIR, file_options(file, "csv"))))
    assert "header" in caught.value.hint


def test_what_may_be_behind_a_bad_row_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text("1;2026-01-01\n")
    with pytest.raises(ExternalError) as caught:
        drain(source(context(PAIR, file_options(file, "csv"))))
    assert caught.value.hint.startswith("Is 'csv.field-delimiter' the one of the file?")
    file.write_text('{"ts": "2026-01-01T00:00:00"}\n')
    times = Schema.of([("ts", types.timestamp(3))])
    with pytest.raises(ExternalError) as caught:
        drain(source(context(times, file_options(file, "json"))))
    assert "'timestamp-format.standard' = 'ISO-8601'" in caught.value.hint


def test_line_ends_within_quotes_count(tmp_path: Path) -> None:
    schema = Schema.of([("b", types.STRING), ("a", types.INT)])
    file = tmp_path / "rows"
    file.write_bytes(b'"one\ntwo\nthree",1\r\n\r\n"four ""\xc3\xa9""",x\r\n')
    with pytest.raises(ExternalError, match="line 5, character 14, column 'a': 'x' is no INT"):
        drain(source(context(schema, file_options(file, "csv"))))


def test_a_malformed_object_is_told_with_the_place_where_it_breaks(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text('{"a": 1}\n{"a": "x"]\n{"a": "y"}\n')
    assert failure(file, "json") == (
        f"'{file}', line 2, character 10: '{{\"a\": \"x\"]' is no JSON object in one line:"
        " expecting ',' delimiter"
    )


def test_an_update_with_a_malformed_image_is_dropped_whole_and_counted_once(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rows"
    good = '{"before": {"a": 1}, "after": {"a": 2}, "op": "u"}'
    file.write_text(
        "\n".join(
            [
                good,
                '{"before": {"a" 1}, "after": {"a": 2}, "op": "u"}',
                '{"before": {"a": 1}, "after": {"a" 2}, "op": "u"}',
                '{"before": {"a" 1}, "after": {"a" 2}, "op": "u"}',
                "nothing",
                '{"op": "c"}',
                '{"before": {"a": "x"}, "after": {"a": 3}, "op": "u"}',
            ]
        )
    )
    schema = Schema.of([("a", types.INT)])
    options = file_options(file, "debezium-json", ignore_parse_errors="true")
    table = source(context(schema, options))
    changes = drain(table)
    assert changes.rows.rows() == [(1,), (2,), (None,), (3,)]
    assert symbols(changes) == ["-U", "+U", "-U", "+U"]
    assert table.counters() == {"ignored_rows": 5, "ignored_fields": 1}


def test_raw_text_that_is_no_utf8_has_no_option_to_ignore_it(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_bytes(b"a\n\xff\n")
    schema = Schema.of([("a", types.STRING)])
    with pytest.raises(ExternalError, match="line 2, column 'a'") as caught:
        drain(source(context(schema, file_options(file, "raw"))))
    assert caught.value.hint == "Mend the row."


@given(data=st.lists(st.binary(max_size=6) | st.text(max_size=6).map(str.encode), max_size=8))
def test_text_that_is_no_utf8_is_found(data: list[bytes]) -> None:
    ends = np.cumsum([len(cell) for cell in data], dtype=np.int64)
    starts = ends - np.array([len(cell) for cell in data], dtype=np.int64)
    kinds = np.full(len(data), Kind.TEXT, dtype=np.uint8)
    texts, bad = Cells(bytes_of(b"".join(data)), starts, ends, kinds).strings()
    for cell, text, wrong in zip(data, texts, bad, strict=True):
        try:
            assert text == cell.decode()
            assert not wrong
        except UnicodeDecodeError:
            assert wrong
            assert text is None


def test_columns_that_are_no_utf8_are_bad_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_bytes(b"1,a\n2,\xe9\n")
    schema = Schema.of([("a", types.INT), ("b", types.STRING)])
    with pytest.raises(ExternalError, match="line 2, character 3, column 'b': '\ufffd' is no STR"):
        drain(source(context(schema, file_options(file, "csv"))))
    options = file_options(file, "csv", ignore_parse_errors="true")
    assert drain(source(context(schema, options))).rows.rows() == [(1, "a"), (2, None)]
