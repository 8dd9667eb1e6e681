"""Values of partition columns in names of folders."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, nearest
from sameriver.common.schema import Field
from sameriver.common.types import DataType
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.filesystem.files import File
from sameriver.connectors.formats.csv import text_cells
from sameriver.connectors.formats.decode import TextRules, decode
from sameriver.connectors.formats.encode import scalar
from sameriver.connectors.options import Options

DEFAULT_NAME = ConnectorOption(
    "partition.default-name", "value of folders for NULL and empty text", "__DEFAULT_PARTITION__"
)


def partition_value(file: File, field: Field, options: Options) -> object:
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
    if value == _default(options):
        return None
    rules = TextRules(nested=lambda cells, type, rules: cells.strings())
    series, failed = decode(text_cells(pl.Series([value], dtype=pl.String)), field.type, rules)
    if failed.any():
        raise ExternalError(
            "BAD_PARTITION",
            f"'{file.path}': '{field.name}={value}' is not a {field.type.name}",
            hint="Rename the folder, or declare the column otherwise.",
        )
    return series.item()


def _default(options: Options) -> str:
    assert DEFAULT_NAME.default is not None
    return options.get(DEFAULT_NAME.key, DEFAULT_NAME.default)


def by_folder(
    changes: Changes, fields: list[tuple[str, DataType]], options: Options
) -> Iterator[tuple[str, Changes]]:
    """The rows of each folder, such as ``day=2024-01-01/city=Rome``, in order of first rows.

    Rows with the same values mostly follow each other: a run of them is named and cut out at once.
    """
    starts = _starts(changes.rows.select(name for name, _ in fields))
    sizes = np.diff(np.append(starts, len(changes)))
    names = _names(changes.rows[pl.Series(starts)], fields, options).alias("folder").to_frame()
    groups = names.with_row_index("run").group_by("folder", maintain_order=True).agg("run")
    for folder, places in zip(*groups, strict=True):
        runs = places.to_numpy()
        if len(runs) == 1:
            yield folder, changes.slice(int(starts[runs[0]]), int(sizes[runs[0]]))
            continue
        ends = np.cumsum(sizes[runs])
        rows = np.repeat(starts[runs] - ends + sizes[runs], sizes[runs]) + np.arange(ends[-1])
        yield folder, changes.gather(pl.Series(rows))


def _starts(rows: pl.DataFrame) -> np.ndarray:
    """Rows that differ from the one before, the first among them."""
    moved = np.zeros(rows.height, np.bool_)
    moved[:1] = True
    for column in rows.get_columns():
        if column.dtype.is_float():
            # 0.0 and -0.0 are equal, but not their names.
            column = column.cast(pl.Float64).reinterpret(dtype=pl.Int64)
        moved[1:] |= column.slice(1).ne_missing(column.head(-1)).to_numpy()
    return np.flatnonzero(moved)


def _names(rows: pl.DataFrame, fields: list[tuple[str, DataType]], options: Options) -> pl.Series:
    """The folder of each row."""
    parts = []
    for name, type in fields:
        text = scalar(pl.col(name), type, False, True)
        shown = pl.when(text != "").then(text).otherwise(pl.lit(_default(options)))
        parts.append(pl.lit(f"{name}=") + shown)
    frame = rows.select(pl.concat_str(parts, separator="\0").alias("folder"))
    distinct = frame["folder"].unique()
    safe = ["/".join(quote(p, safe="= -.,") for p in f.split("\0")) for f in distinct]
    return frame["folder"].replace_strict(distinct, pl.Series(safe, dtype=pl.String))
