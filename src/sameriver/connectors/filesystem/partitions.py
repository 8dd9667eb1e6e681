"""Values of partition columns in names of folders."""

from __future__ import annotations

from urllib.parse import quote
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.errors import ExternalError, nearest
from sameriver.common.schema import Field
from sameriver.common.types import DataType
from sameriver.connectors.filesystem.files import DEFAULT_PARTITION, File
from sameriver.connectors.formats.csv import text_cells
from sameriver.connectors.formats.decode import TextRules, decode
from sameriver.connectors.formats.encode import scalar


def partition_value(file: File, field: Field, zone: ZoneInfo) -> object:
    """What the folders above a file say about a partition column.

    Raises:
        ExternalError: BAD_PARTITION.
    """
    if field.name not in file.partition:
        raise ExternalError(
            "BAD_PARTITION",
            f"'{file.path}' is in no folder '{field.name}=...'",
            hint=nearest(field.name, file.partition),
        )
    value = file.partition[field.name]
    rules = TextRules(nested=lambda cells, type, rules: cells.strings())
    series, failed = decode(text_cells(pl.Series([value], dtype=pl.String)), field.type, rules)
    if failed.any():
        raise ExternalError(
            "BAD_PARTITION",
            f"'{file.path}': '{field.name}={value}' is not a {field.type.name}",
            hint="Rename the folder, or declare the column otherwise.",
        )
    return series.item()


def folder_names(rows: pl.DataFrame, fields: list[tuple[str, DataType]]) -> pl.Series:
    """The folder of each row, such as ``day=2024-01-01/city=Rome``."""
    parts = [
        pl.lit(f"{name}=") + scalar(pl.col(name), type, False, True).fill_null(DEFAULT_PARTITION)
        for name, type in fields
    ]
    frame = rows.select(pl.concat_str(parts, separator="\0").alias("folder"))
    distinct = frame["folder"].unique()
    safe = ["/".join(quote(p, safe="= -.,") for p in f.split("\0")) for f in distinct]
    return frame["folder"].replace_strict(distinct, pl.Series(safe, dtype=pl.String))
