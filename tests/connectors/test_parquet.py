from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from connector_tables import context, drain, file_options, read, source

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.connectors.formats.parquet import ParquetWriter


def test_other_types_are_cast_and_lacking_columns_null(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    moment = datetime(2024, 1, 1, 0, 0, 0, 1500)
    pl.DataFrame(
        {"n": [1], "d": [1.5], "t": [moment], "z": [moment.replace(tzinfo=UTC)]}
    ).write_parquet(file)
    schema = Schema.of(
        [("z", types.timestamp(3)), ("n", types.INT), ("d", types.decimal(5, 2)),
         ("t", types.timestamp_ltz(6)), ("gone", types.STRING)]
    )  # fmt: skip
    frame = drain(source(context(schema, file_options(file, "parquet")))).rows
    assert frame.schema == schema.to_polars()
    cut = datetime(2024, 1, 1, 0, 0, 0, 1000)
    assert frame.rows() == [(cut, 1, Decimal("1.50"), moment.replace(tzinfo=UTC), None)]


@pytest.mark.parametrize("type", [types.timestamp(3), types.INT])
def test_a_column_that_cant_be_cast_is_named(type: types.DataType, tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pl.DataFrame({"a": ["x"]}).write_parquet(file)
    with pytest.raises(ExternalError, match=r"t\.parquet"):
        read(Schema.of([("a", type)]), file, "parquet")


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    file.write_text("hello")
    with pytest.raises(ExternalError, match=r"t\.parquet"):
        read(Schema.of([("a", types.INT)]), file, "parquet")


def test_rows_are_counted_without_columns(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pl.DataFrame({"a": range(1000)}).write_parquet(file)
    declared = Schema.of([("a", types.BIGINT)])
    table = context(Schema(()), file_options(file, "parquet"), declared=declared)
    assert len(drain(source(table))) == 1000


def test_raw_lines(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_bytes('a,"b\r\n\né\n'.encode())
    assert read(Schema.of([("line", types.STRING)]), file, "raw") == [('a,"b',), ("é",)]
    with pytest.raises(UserError, match="one column"):
        read(Schema.of([("a", types.STRING), ("b", types.STRING)]), file, "raw")


def test_a_large_file_has_several_row_groups(tmp_path: Path) -> None:
    rows = pl.DataFrame({"n": range(300_000)})
    writer = ParquetWriter(tmp_path / "t.parquet", Schema.of([("n", types.BIGINT)]), {})
    writer.write(Changes(rows))
    writer.close()
    assert pq.read_metadata(tmp_path / "t.parquet").num_row_groups == 3
    assert pl.read_parquet(tmp_path / "t.parquet").equals(rows)
