from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from connector_tables import GOLDEN, context, drain, file_options, read, source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.formats.format import Columns
from sameriver.connectors.formats.json import JsonReader, json_rules

ONE = Schema.of([("a", types.INT)])


def write(path: Path, *lines: str) -> Path:
    file = path / "t.jsonl"
    file.write_bytes("\n".join(lines).encode())
    return file


def value(tmp_path: Path, type: types.DataType, text: str, **options: str) -> object:
    rows = read(Schema.of([("a", type)]), write(tmp_path, f'{{"a": {text}}}'), "json", **options)
    return rows[0][0]


@pytest.mark.parametrize(
    ("type", "text", "expected"),
    [
        (types.INT, "12", 12),
        (types.INT, '" 12 "', 12),
        (types.INT, "12.7", 12),
        (types.INT, "1e3", 1000),
        (types.INT, "null", None),
        (types.BIGINT, "9223372036854775807", 2**63 - 1),
        (types.DOUBLE, '"1.5"', 1.5),
        (types.DOUBLE, '"NaN"', pytest.approx(float("nan"), nan_ok=True)),
        (types.BOOLEAN, "true", True),
        (types.BOOLEAN, '"TRUE"', True),
        (types.BOOLEAN, '"yes"', False),
        (types.decimal(38, 10), "12345678901234567890.0123456789",
         Decimal("12345678901234567890.0123456789")),
        (types.decimal(10, 2), '"20.505"', Decimal("20.51")),
        (types.decimal(3, 1), "1234.5", None),
        (types.decimal(38, 5), "999999999999999999", Decimal("999999999999999999")),
        (types.decimal(38, 5), "-9999999999999999e2", Decimal("-999999999999999900")),
        (types.decimal(18, 3), "999999999999999999", None),
        (types.decimal(18, 18), "9999", None),
        (types.decimal(3, 1), "1.005e1", Decimal("10.1")),
        (types.decimal(10, 2), "-1.245", Decimal("-1.25")),
        (types.decimal(10, 0), "0.4999", Decimal(0)),
        (types.STRING, "20.50", "20.50"),
        (types.STRING, "true", "true"),
        (types.STRING, r'"\u00e9\n\"\\\/\ud83d\ude00"', 'é\n"\\/😀'),
        (types.STRING, '"a\\u0000b"', "a\0b"),
        (types.timestamp(3), '"2024-03-01 10:00:00.123456"',
         datetime(2024, 3, 1, 10, 0, 0, 123000)),
        (types.timestamp_ltz(3), '"2024-03-01 10:00:00Z"',
         datetime(2024, 3, 1, 10, tzinfo=UTC)),
        (types.BYTES, '"AAE="', b"\0\1"),
        (types.array(types.INT), "[1, null, 3]", [1, None, 3]),
        (types.array(types.INT), "[]", []),
        (types.array(types.array(types.STRING)), '[["a"], [], null]', [["a"], [], None]),
        (types.map_of(types.STRING, types.INT), '{"a": 1, "b\\n": null}',
         [{"key": "a", "value": 1}, {"key": "b\n", "value": None}]),
        (types.row([("x", types.INT), ("y", types.row([("z", types.STRING)]))]),
         '{"y": {"z": "q", "w": [1]}, "x": 1}', {"x": 1, "y": {"z": "q"}}),
        (types.row([("x", types.INT)]), "null", None),
    ],
)  # fmt: skip
def test_values(type: types.DataType, text: str, expected: object, tmp_path: Path) -> None:
    assert value(tmp_path, type, text) == expected


def test_iso_timestamps(tmp_path: Path) -> None:
    options = {"timestamp_format__standard": "ISO-8601"}
    found = value(tmp_path, types.timestamp(3), '"2024-03-01T10:00:00.5"', **options)
    assert found == datetime(2024, 3, 1, 10, 0, 0, 500000)


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (types.INT, '"12.7"'),
        (types.INT, "2147483648"),
        (types.INT, "[1]"),
        (types.timestamp(3), '"2024-03-01T10:00:00"'),
        (types.timestamp_ltz(3), '"2024-03-01 10:00:00"'),
        (types.array(types.INT), '[1, "x"]'),
        (types.array(types.INT), "[1 2]"),
        (types.array(types.INT), '{"x": 1}'),
        (types.row([("x", types.INT)]), "5"),
        (types.row([("x", types.INT)]), '{"x": "y"}'),
        (types.map_of(types.STRING, types.INT), "[1]"),
    ],
)
def test_a_bad_field_is_named(type: types.DataType, text: str, tmp_path: Path) -> None:
    file = write(tmp_path, "", '{"a": null}', f'{{"b": 1, "a": {text}}}')
    with pytest.raises(ExternalError) as caught:
        read(Schema.of([("a", type)]), file, "json")
    assert caught.value.code == "BAD_ROW"
    for part in (str(file), "line 3", "column 'a'", text.strip('"')):
        assert part in caught.value.message


@pytest.mark.parametrize(
    "line",
    ['{"a": 1', '{"a": 1,}', "nope", "[1]", '{"a" 1}', '{"a": 1} x', '{"a": 01}', '{"a": tru}',
     '{a: 1}', '{"a": "\t"}', '{"a": "\\x"}', '{"b": {]}}'],
)  # fmt: skip
def test_a_malformed_line_stops_the_job(line: str, tmp_path: Path) -> None:
    with pytest.raises(ExternalError, match="line 2"):
        read(ONE, write(tmp_path, '{"a": 1}', line), "json")


def test_ignored_errors_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path, '{"a": 1}', "nope", '{"a": "x"}', "{}")
    table = source(context(ONE, file_options(file, "json", ignore_parse_errors="true")))
    assert drain(table).rows.rows() == [(1,), (None,), (None,)]
    assert table.counters() == {"ignored_rows": 1, "ignored_fields": 1}


def test_a_missing_field_is_null_unless_it_must_not(tmp_path: Path) -> None:
    file = write(tmp_path, '{"b": 1}')
    assert read(ONE, file, "json") == [(None,)]
    with pytest.raises(ExternalError, match="no field 'a'"):
        read(ONE, file, "json", fail_on_missing_field="true")


def test_golden_rows(tmp_path: Path) -> None:
    """Every json input of the golden jobs reads as Python's json reads it."""
    schema = Schema.of([("id", types.BIGINT), ("k", types.STRING), ("price", types.decimal(10, 2))])
    for file in sorted(GOLDEN.glob("*/orders.jsonl")):
        expected = [
            (row["id"], row["k"], None if row["price"] is None else Decimal(str(row["price"])))
            for row in map(json.loads, file.read_text().splitlines())
        ]
        assert read(schema, file, "json") == expected


LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8)
OBJECTS = st.dictionaries(st.sampled_from("abcdef"), LEAVES, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(OBJECTS, max_size=6),
       st.booleans(), st.integers(0, 60))  # fmt: skip
def test_strings_are_what_json_says(rows: list[dict[str, object]], ascii: bool, cut: int) -> None:
    """Fields in any order, escaped or not, cut anywhere, read as Python reads them."""
    text = "".join(json.dumps(row, ensure_ascii=ascii) + "\n" for row in rows)
    data = text.encode(errors="surrogatepass")
    schema = Schema.of([("a", types.STRING), ("c", types.STRING)])
    reader = JsonReader(Columns(declared=schema, wanted=schema), json_rules({}, "json"))
    first = reader.parse(data[:cut], last=False)
    rest = reader.parse(data[first.used :], last=True)
    found = first.changes.rows.rows() + rest.changes.rows.rows()
    assert found == [tuple(_text(row.get(name)) for name in "ac") for row in rows]


def _text(value: object) -> str | None:
    if value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value)
