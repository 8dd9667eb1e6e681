"""``parquet``, read and written by Polars."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import TIMESTAMPS, Root, time_unit, to_polars
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats.format import Columns, Format, FrameReader, Options
from sameriver.connectors.options import choice

Compression = Literal["snappy", "zstd", "gzip", "lz4", "uncompressed"]
_COMPRESSIONS = ("SNAPPY", "ZSTD", "GZIP", "LZ4", "UNCOMPRESSED")
_CHUNK = 1 << 18
_GROUP = 1 << 17
"""Rows of a row group: whoever reads the file decodes one while the one before is worked on."""


def _reader(columns: Columns, options: Options) -> FrameReader:
    def frames(path: Path, skip: int) -> Iterator[pl.DataFrame]:
        scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        held = scan.collect_schema()
        picked = [_cast(field, held, path) for field in columns.wanted]
        # A file none of whose columns is wanted still has its number of rows.
        rows = scan.select(picked or pl.first().is_null())
        for frame in rows.slice(skip).collect_batches(chunk_size=_CHUNK, maintain_order=True):
            yield frame if picked else pl.DataFrame(height=frame.height)

    return frames


def _cast(field: Field, held: pl.Schema, path: Path) -> pl.Expr:
    """The column as its declared type; a column that the file lacks is NULL, as in Flink."""
    target = to_polars(field.type)
    if field.name not in held:
        return pl.lit(None, dtype=target).alias(field.name)
    have, value = held[field.name], pl.col(field.name)
    if have == target:
        return value
    if field.type.root in TIMESTAMPS and isinstance(have, pl.Datetime):
        # Flink keeps no zone in Parquet: both kinds of timestamp are read as UTC.
        value = value.dt.replace_time_zone(None).dt.cast_time_unit(time_unit(field.type))
        ltz = field.type.root is Root.TIMESTAMP_LTZ
        return value.dt.replace_time_zone("UTC") if ltz else value
    if isinstance(have, pl.Datetime) != isinstance(target, pl.Datetime) and (
        isinstance(have, pl.Datetime) or isinstance(target, pl.Datetime)
    ):
        raise ExternalError(
            "BAD_COLUMN",
            f"'{path}' holds column '{field.name}' as {have}, which can't be read as"
            f" {field.type.name}",
            hint="Declare the type that the file holds and cast in the query.",
        )
    return value.cast(target, strict=True)


class ParquetWriter:
    """Writes one file, a row group at a time."""

    def __init__(self, path: Path, schema: Schema, options: Options) -> None:
        self._path = path
        self._schema = schema
        self._compression = compression(options)
        self._parts: list[pl.DataFrame] | None = []
        self.size = 0

    def write(self, changes: Changes) -> None:
        assert self._parts is not None
        rows = changes.rows.select(self._schema.names)
        self._parts.append(rows)
        self.size += int(rows.estimated_size())

    def close(self) -> None:
        if self._parts is None:
            return
        rows = pl.concat(self._parts) if self._parts else self._schema.empty()
        rows.write_parquet(self._path, compression=self._compression, row_group_size=_GROUP)
        self._parts = None


def compression(options: Options) -> Compression:
    """Polars' name of ``parquet.compression``."""
    chosen = choice(options, "parquet.compression", "SNAPPY", _COMPRESSIONS)
    return cast(Compression, chosen.lower())


PARQUET = Format(
    name="parquet",
    options=(
        ConnectorOption("compression", "SNAPPY, ZSTD, GZIP, LZ4 or UNCOMPRESSED", "SNAPPY"),
        ConnectorOption("utc-timezone", "accepted; timestamps are UTC", "false"),
    ),
    frames=_reader,
    writer=ParquetWriter,
    check=lambda options, schema: compression(options),
)
