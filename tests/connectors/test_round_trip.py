"""What a format writes it reads again."""

from __future__ import annotations

import string
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from connector_tables import context, drain, file_options, sink, source
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.common.types import DataType

TEXT = st.text(max_size=30) | st.text(string.printable, max_size=8)
MOMENT = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
FLAT: dict[str, tuple[DataType, st.SearchStrategy[object]]] = {
    "flag": (types.BOOLEAN, st.booleans()),
    "tiny": (types.TINYINT, st.integers(-128, 127)),
    "big": (types.BIGINT, st.integers(-(2**63), 2**63 - 1)),
    "real": (types.FLOAT, st.floats(width=32, allow_nan=False)),
    "double": (types.DOUBLE, st.floats(allow_nan=False)),
    "money": (
        types.decimal(38, 9),
        st.decimals(-(10**20), 10**20, places=9, allow_nan=False).map(Decimal),
    ),
    "text": (types.STRING, TEXT),
    "bytes": (types.BYTES, st.binary(max_size=9)),
    "day": (types.DATE, st.dates()),
    "hour": (types.time(3), st.times().map(lambda t: t.replace(microsecond=0))),
    "at": (types.timestamp(3), MOMENT),
    "moment": (types.timestamp_ltz(3), MOMENT.map(lambda m: m.replace(tzinfo=UTC))),
}
NESTED: dict[str, tuple[DataType, st.SearchStrategy[object]]] = {
    "list": (types.array(types.STRING), st.lists(st.none() | TEXT, max_size=3)),
    "times": (types.array(types.timestamp(3)), st.lists(MOMENT, max_size=2)),
    "map": (
        types.map_of(types.STRING, types.decimal(10, 2)),
        st.lists(
            st.fixed_dictionaries(
                {"key": TEXT, "value": st.decimals(-999, 999, places=2, allow_nan=False)}
            ),
            max_size=2,
        ),
    ),
    "row": (
        types.row([("x", types.INT), ("y", types.row([("z", types.array(types.BIGINT))]))]),
        st.fixed_dictionaries(
            {
                "x": st.none() | st.integers(-5, 5),
                "y": st.none()
                | st.fixed_dictionaries({"z": st.none() | st.lists(st.integers(0, 9), max_size=2)}),
            }
        ),
    ),
}


def schema(columns: dict[str, tuple[DataType, st.SearchStrategy[object]]]) -> Schema:
    return Schema.of((name, type) for name, (type, _) in columns.items())


def frames(
    columns: dict[str, tuple[DataType, st.SearchStrategy[object]]],
) -> st.SearchStrategy[pl.DataFrame]:
    row = st.fixed_dictionaries({name: st.none() | made for name, (_, made) in columns.items()})
    dtypes = schema(columns).to_polars()
    return st.lists(row, max_size=4).map(
        lambda rows: pl.DataFrame(
            {name: [row[name] for row in rows] for name in columns}, schema=dtypes, strict=False
        )
    )


def again(
    frame: pl.DataFrame, columns: Schema, path: Path, format: str, **more: str
) -> pl.DataFrame:
    """The frame after a visit to a file."""
    folder = path / f"{len(list(path.iterdir()))}"
    options = file_options(folder, format, **more)
    target = sink(context(columns, options))
    target.write(Changes(frame))
    target.close()
    if not folder.exists():
        folder.mkdir()
    rows = drain(source(context(columns, options))).rows
    return rows if rows.width else columns.empty()


EASY = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@EASY
@given(frame=frames(FLAT | NESTED))
def test_json(frame: pl.DataFrame, tmp_path: Path) -> None:
    assert again(frame, schema(FLAT | NESTED), tmp_path, "json").equals(frame)


@EASY
@given(frame=frames(FLAT))
def test_csv(frame: pl.DataFrame, tmp_path: Path) -> None:
    found = again(frame, schema(FLAT), tmp_path, "csv", null_literal="\\N")
    assert found.equals(frame)


@EASY
@given(frame=frames(FLAT))
def test_csv_with_other_characters(frame: pl.DataFrame, tmp_path: Path) -> None:
    found = again(
        frame, schema(FLAT), tmp_path, "csv", null_literal="<null>", field_delimiter=";",
        quote_character="'", escape_character="\\",
    )  # fmt: skip
    assert found.equals(frame)


@EASY
@given(frame=frames(FLAT | NESTED))
def test_parquet(frame: pl.DataFrame, tmp_path: Path) -> None:
    assert again(frame, schema(FLAT | NESTED), tmp_path, "parquet").equals(frame)


def written(tmp_path: Path, type: DataType, value: object, format: str, **more: str) -> str:
    columns = Schema.of([("a", type)])
    target = sink(context(columns, file_options(tmp_path / "out", format, **more)))
    target.write(Changes(pl.DataFrame({"a": [value]}, schema=columns.to_polars())))
    target.close()
    (file,) = (tmp_path / "out").iterdir()
    return file.read_text().removesuffix("\n")


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (types.DOUBLE, 1e10, "1.0E10"),
        (types.DOUBLE, 0.5, "0.5"),
        (types.DOUBLE, float("inf"), '"Infinity"'),
        (types.decimal(10, 2), Decimal("10.00"), "1E+1"),
        (types.decimal(10, 2), Decimal("12.50"), "12.5"),
        (types.decimal(10, 2), Decimal("120.00"), "1.2E+2"),
        (types.decimal(10, 2), Decimal("0.00"), "0"),
        (types.decimal(10, 8), Decimal("-0.00000012"), "-1.2E-7"),
        (types.decimal(10, 8), Decimal("0.00000100"), "0.000001"),
        (types.STRING, 'a"\\\n\x01é', '"a\\"\\\\\\n\\u0001é"'),
        (types.timestamp(3), datetime(2024, 1, 1), '"2024-01-01 00:00:00"'),
        (types.timestamp(3), datetime(2024, 1, 1, 0, 0, 0, 500000), '"2024-01-01 00:00:00.5"'),
        (types.timestamp_ltz(3), datetime(2024, 1, 1, tzinfo=UTC), '"2024-01-01 00:00:00Z"'),
        (types.DATE, date(2024, 1, 1), '"2024-01-01"'),
        (types.time(0), time(1, 2, 3), '"01:02:03"'),
        (types.INTERVAL_DAY_TIME, timedelta(seconds=1), "1000"),
        (types.BYTES, b"\0", '"AA=="'),
        (types.INT, None, "null"),
    ],
)  # fmt: skip
def test_json_text(type: DataType, value: object, text: str, tmp_path: Path) -> None:
    assert written(tmp_path, type, value, "json") == f'{{"a":{text}}}'


def test_json_options(tmp_path: Path) -> None:
    money = types.decimal(10, 2)
    plain = written(tmp_path / "1", money, 10, "json", encode__decimal_as_plain_number="true")
    assert plain == '{"a":10}'
    bare = written(tmp_path / "2", money, None, "json", encode__ignore_null_fields="true")
    assert bare == "{}"
    iso = {"timestamp_format__standard": "ISO-8601"}
    stamp = written(tmp_path / "3", types.timestamp(3), datetime(2024, 1, 1), "json", **iso)
    assert stamp == '{"a":"2024-01-01T00:00:00"}'


@pytest.mark.parametrize(
    ("mode", "text"), [("DROP", '{"a":{"x":1}}'), ("LITERAL", '{"a":{"none":2,"x":1}}')]
)
def test_null_keys(mode: str, text: str, tmp_path: Path) -> None:
    value = [{"key": None, "value": 2}, {"key": "x", "value": 1}]
    options = {"map_null_key__mode": mode, "map_null_key__literal": "none"}
    type = types.map_of(types.STRING, types.INT)
    assert written(tmp_path, type, value, "json", **options) == text


@pytest.mark.parametrize(
    ("type", "value", "text"),
    [
        (types.STRING, "plain", "plain"),
        (types.STRING, "two words", '"two words"'),
        (types.STRING, 'a"b', '"a""b"'),
        (types.STRING, "x" * 25, f'"{"x" * 25}"'),
        (types.STRING, None, ""),
        (types.timestamp(3), datetime(2024, 1, 1), '"2024-01-01 00:00:00"'),
        (types.array(types.INT), [1, 2], "1;2"),
        (types.decimal(10, 2), Decimal("100.00"), "1E+2"),
    ],
)
def test_csv_text(type: DataType, value: object, text: str, tmp_path: Path) -> None:
    assert written(tmp_path, type, value, "csv") == text
