from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest
from connector_tables import GOLDEN, context, drain, file_options, read, source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.connectors.formats.csv import CsvReader
from sameriver.connectors.formats.csv_text import csv_rules
from sameriver.connectors.formats.format import Columns

PAIR = Schema.of([("a", types.INT), ("b", types.STRING)])


def write(path: Path, text: str) -> Path:
    file = path / "t.csv"
    file.write_bytes(text.encode())
    return file


def test_reads_what_flink_read() -> None:
    schema = Schema.of(
        [
            ("id", types.INT),
            ("k", types.STRING),
            ("v", types.DOUBLE),
            ("ts", types.timestamp(3)),
            ("s", types.STRING),
        ]
    )
    rows = read(schema, GOLDEN / "csv_nulls" / "t.csv", "csv", null_literal="\\N")
    assert rows == [
        (1, "a", 1.5, datetime(2024, 3, 1, 10, 0, 0, 500000), 'x, "y" z'),
        (2, "", 2.25, datetime(2024, 3, 1, 10, 0, 1), None),
        (3, None, None, datetime(2024, 3, 1, 10, 0, 2, 250000), "plain"),
        (4, "", -0.1, None, "é"),
        (5, "b", 1000.0, datetime(1969, 12, 31, 23, 59, 59, 999000), "''"),
    ]


def test_reads_every_type(tmp_path: Path) -> None:
    columns = [
        ("BOOLEAN", types.BOOLEAN, "true", True),
        ("TINYINT", types.TINYINT, "-128", -128),
        ("BIGINT", types.BIGINT, " -9223372036854775808 ", -(2**63)),
        ("FLOAT", types.FLOAT, "1.5", 1.5),
        ("DECIMAL", types.decimal(10, 2), "1.255", Decimal("1.26")),
        ("BYTES", types.BYTES, "AAEC", b"\x00\x01\x02"),
        ("DATE", types.DATE, "2024-02-29", date(2024, 2, 29)),
        ("TIME", types.time(3), "23:59:59.1239", time(23, 59, 59, 123000)),
        ("TS", types.timestamp(6), "1900-01-01 00:00:00.000001", datetime(1900, 1, 1, 0, 0, 0, 1)),
        (
            "LTZ",
            types.timestamp_ltz(0),
            "2024-03-01 10:00:00.9Z",
            datetime(2024, 3, 1, 10, tzinfo=UTC),
        ),
        ("ARRAY", types.array(types.INT), "1;2;3", [1, 2, 3]),
        ("ROW", types.row([("x", types.INT), ("y", types.STRING)]), "7;z", {"x": 7, "y": "z"}),
    ]
    schema = Schema.of((name, type) for name, type, _, _ in columns)
    file = write(tmp_path, ",".join(text for _, _, text, _ in columns) + "\n")
    assert read(schema, file, "csv") == [tuple(value for _, _, _, value in columns)]


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (types.INT, "x"),
        (types.INT, ""),
        (types.INT, "1.5"),
        (types.TINYINT, "128"),
        (types.BIGINT, "9223372036854775808"),
        (types.BIGINT, "-9223372036854775809"),
        (types.DOUBLE, "inf"),
        (types.DOUBLE, "1x"),
        (types.decimal(5, 2), "1_0"),
        (types.DATE, "2023-02-29"),
        (types.time(0), "24:00:00"),
        (types.timestamp(3), "2024-03-01T10:00:00"),
        (types.timestamp(3), "2024-03-01"),
        (types.timestamp(3), "\0" * 16 + ":05"),
        (types.timestamp_ltz(3), "2024-03-01 10:00:00"),
        (types.BYTES, "!"),
    ],
)
def test_a_bad_cell_is_named(type: types.DataType, text: str, tmp_path: Path) -> None:
    file = write(tmp_path, f'"x\ny",{text}\n')
    schema = Schema.of([("b", types.STRING), ("a", type)])
    with pytest.raises(ExternalError) as caught:
        read(schema, file, "csv")
    assert caught.value.code == "BAD_ROW"
    for part in (str(file), "line 1", "column 'a'", f"'{text}'", type.name):
        assert part in caught.value.message


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1,a\n2\n", "fewer cells"),
        ("1,a\n2,b,c\n", "more cells"),
        ('1,a\n2,"b"c\n', "quoted cell"),
        ('1,a\n2,"b\n', "quoted cell"),
    ],
)
def test_a_bad_row_stops_the_job(text: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(ExternalError, match=f"line 2.*{what}"):
        read(PAIR, write(tmp_path, text), "csv")


def test_ignored_errors_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path, 'x,a\n2\n3,b,c\n4,"d"d\n5,e\n')
    table = source(context(PAIR, file_options(file, "csv", ignore_parse_errors="true")))
    assert drain(table).rows.rows() == [(None, "a"), (2, None), (5, "e")]
    assert table.counters() == {"ignored_rows": 2, "ignored_fields": 1}


def test_options_of_the_format(tmp_path: Path) -> None:
    file = write(tmp_path, "# note\n1|'a|''b'\n2|c\\|d\r\n")
    rows = read(
        PAIR, file, "csv", field_delimiter="|", quote_character="'", allow_comments="true",
        escape_character="\\",
    )  # fmt: skip
    assert rows == [(1, "a|'b"), (2, "c|d")]


def test_quotes_can_be_switched_off(tmp_path: Path) -> None:
    file = write(tmp_path, '1,"a"\n')
    assert read(PAIR, file, "csv", disable_quote_character="true") == [(1, '"a"')]


def test_columns_are_found_by_declared_place(tmp_path: Path) -> None:
    declared = Schema.of([("a", types.INT), ("b", types.STRING), ("c", types.INT)])
    file = write(tmp_path, "bad,x,3\n")
    table = context(declared.select(["c"]), file_options(file, "csv"), declared=declared)
    assert drain(source(table)).rows.rows() == [(3,)]


def test_a_map_is_refused(tmp_path: Path) -> None:
    schema = Schema.of([("m", types.map_of(types.STRING, types.INT))])
    with pytest.raises(UserError, match="csv format can't hold"):
        source(context(schema, file_options(write(tmp_path, "1\n"), "csv")))


def test_rows_longer_than_a_piece(tmp_path: Path) -> None:
    long = "é,\n" * 100_000
    file = write(tmp_path, f'1,"{long}"\n2,b')
    assert read(PAIR, file, "csv") == [(1, long), (2, "b")]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text('a"\n\r,é', max_size=5), st.text("b# \n", max_size=3)), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 40),
)
def test_a_piece_may_end_anywhere(rows: list[tuple[str, str]], end: str, cut: int) -> None:
    """Against the csv module of Python."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    data = out.getvalue().encode()
    schema = Schema.of([("a", types.STRING), ("b", types.STRING)])
    reader = CsvReader(Columns(declared=schema, wanted=schema), csv_rules({}))
    first = reader.parse(data[:cut], last=False)
    rest = reader.parse(data[first.used :], last=True)
    assert first.changes.rows.rows() + rest.changes.rows.rows() == rows
    assert first.lines + rest.lines == data.count(b"\n")
