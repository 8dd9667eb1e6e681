"""Finding rows of a table by key."""

from __future__ import annotations

from typing import Protocol

import polars as pl


class Lookup(Protocol):
    """A table that is looked up, as it stands at the time of the call."""

    def find(self, keys: pl.DataFrame) -> pl.DataFrame:
        """The rows whose values in the columns of ``keys`` are those of one of its rows.

        Args:
            keys: distinct rows without NULL; columns of the table.
        """
        ...

    def load(self) -> pl.DataFrame:
        """All rows."""
        ...
