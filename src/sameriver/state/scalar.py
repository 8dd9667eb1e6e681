"""One value for a whole operator."""

from __future__ import annotations

import polars as pl

from sameriver.common.state import StateTable
from sameriver.common.types import to_polars


class Scalar:
    """A handle of a table without key and with one whole number, or a time in ms.

    Attributes:
        value: None until it is set.
    """

    def __init__(self, declaration: StateTable) -> None:
        self._declaration = declaration
        self.value: int | None = None

    @property
    def declaration(self) -> StateTable:
        return self._declaration

    def snapshot(self) -> pl.DataFrame:
        (column,) = self._declaration.values
        values = pl.Series(column.name, [] if self.value is None else [self.value], pl.Int64)
        return values.cast(to_polars(column.type)).to_frame()

    def restore(self, rows: pl.DataFrame) -> None:
        value = rows.to_series().cast(pl.Int64).max()
        self.value = value if isinstance(value, int) else None
