"""How state is held: operators make handles for the tables their node declares, nothing else
outlives a restart."""

from __future__ import annotations

from typing import Protocol

import polars as pl

from sameriver.common.state import StateTable


class StateHandle(Protocol):
    """One table of state in memory."""

    @property
    def declaration(self) -> StateTable: ...

    def snapshot(self) -> pl.DataFrame:
        """All rows; columns as the declaration names them, key columns first."""
        ...

    def restore(self, rows: pl.DataFrame) -> None:
        """Takes over rows of a snapshot; called once, before any input, on an empty table."""
        ...


class StateStore:
    """The handles of one operator instance (one shard)."""

    def __init__(self) -> None:
        self._handles: dict[str, StateHandle] = {}

    def register(self, handle: StateHandle) -> None:
        """Puts a handle under the framework's care."""
        name = handle.declaration.name
        if name in self._handles:
            raise ValueError(f"state table '{name}' is registered twice")
        self._handles[name] = handle

    def snapshot(self) -> dict[str, pl.DataFrame]:
        return {name: handle.snapshot() for name, handle in self._handles.items()}

    def restore(self, tables: dict[str, pl.DataFrame]) -> None:
        for name, rows in tables.items():
            self._handles[name].restore(rows)
