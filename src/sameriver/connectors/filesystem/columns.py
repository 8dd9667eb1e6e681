"""Columns of a table that stand in its files, and those that come from their names."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from sameriver.common.schema import Schema
from sameriver.common.types import to_polars
from sameriver.connectors.connector import TableContext
from sameriver.connectors.filesystem.files import File
from sameriver.connectors.filesystem.partitions import partition_value
from sameriver.connectors.formats.format import Columns


def columns_held(context: TableContext) -> Columns:
    """The columns that stand in the files."""
    apart = {*context.metadata, *context.partitioned_by}

    def held(schema: Schema) -> Schema:
        return Schema(tuple(field for field in schema if field.name not in apart))

    return Columns(declared=held(context.declared), wanted=held(context.schema))


def complete(
    rows: pl.DataFrame, file: File, stat: os.stat_result, context: TableContext
) -> pl.DataFrame:
    """Adds metadata and partition columns, and puts columns in the order asked for."""
    if rows.width and rows.columns == list(context.schema.names):
        return rows
    columns: list[pl.Series | pl.Expr] = []
    for field in context.schema:
        if field.name in context.metadata:
            value = _metadata(context.metadata[field.name], file.path, stat)
        elif field.name in context.partitioned_by:
            value = partition_value(file, field, context.options)
        else:
            columns.append(pl.col(field.name))
            continue
        constant = pl.Series([value]).new_from_index(0, rows.height)
        columns.append(constant.cast(to_polars(field.type)).alias(field.name))
    return rows.select(columns) if columns else pl.DataFrame(height=rows.height)


def _metadata(key: str, path: Path, stat: os.stat_result) -> object:
    values: dict[str, object] = {
        "file.path": str(path),
        "file.name": path.name,
        "file.size": stat.st_size,
        "file.modification-time": datetime.fromtimestamp(stat.st_mtime, UTC),
    }
    return values[key]
