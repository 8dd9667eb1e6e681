"""Looks rows up in a bounded source: all of it is read, the rows asked for are kept."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from sameriver.common.errors import UserError
from sameriver.connectors.connector import Source, TableContext

_ROWS = 1 << 16


class ScanLookup:
    """A lookup that reads the table anew each time."""

    def __init__(
        self, open_source: Callable[[TableContext], Source], context: TableContext
    ) -> None:
        self._open = open_source
        self._context = context

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        return self.load().join(keys, on=keys.columns, how="semi", maintain_order="left")

    def load(self) -> pl.DataFrame:
        """All rows of the source.

        Raises:
            UserError: UNBOUNDED_LOOKUP if it never ends.
        """
        source = self._open(self._context)
        try:
            if not source.bounded:
                raise UserError(
                    "UNBOUNDED_LOOKUP",
                    f"table '{self._context.name}' never ends, so it can't be looked up",
                    hint="Look up a table that is bounded.",
                )
            return self._read(source)
        finally:
            source.close()

    def _read(self, source: Source) -> pl.DataFrame:
        parts = [self._context.schema.empty()]
        while True:
            batch = source.poll(_ROWS)
            if batch.changes is not None:
                parts.append(batch.changes.rows)
            if batch.finished:
                return pl.concat(parts, rechunk=True)
