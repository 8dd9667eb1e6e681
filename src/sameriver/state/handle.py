"""How state is held: operators make handles for the tables their node declares, nothing else
outlives a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.state import StateTable
from sameriver.state.kernels.types import Ints


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What a checkpoint adds to what was saved of a table before.

    Rows of one id stand and fall together: those saved before give way to those of ``rows``, or
    to nothing. All rows that count, sorted by id (stable), are a snapshot.

    Attributes:
        rows: columns as the declaration names them.
        ids: of each row.
        gone: ids of which no row is left; rows saved before under an id in ``ids`` or here no
            longer count.
        whole: nothing that was saved before counts.
    """

    rows: pl.DataFrame
    ids: Ints
    gone: Ints
    whole: bool


Capture = Callable[[], Delta]
"""A copy of what is to be saved, made while the job stood still; calling it, in any thread, turns
the copy into rows."""


@runtime_checkable
class TrackingHandle(StateHandle, Protocol):
    """A table that knows what was written to it since the last capture."""

    def capture(self, *, whole: bool) -> Capture:
        """Copies what was written since the last capture.

        Args:
            whole: copies all. The first capture of a handle is whole in any case.
        """
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

    def capture(self, *, whole: bool) -> dict[str, Capture]:
        """What each table has to save. Tables that don't track changes are saved whole."""
        return {name: _capture(handle, whole) for name, handle in self._handles.items()}

    def restore(self, tables: dict[str, pl.DataFrame]) -> None:
        for name, rows in tables.items():
            self._handles[name].restore(rows)


def _capture(handle: StateHandle, whole: bool) -> Capture:
    if isinstance(handle, TrackingHandle):
        return handle.capture(whole=whole)
    rows = handle.snapshot()
    return lambda: whole_delta(rows)


def whole_delta(rows: pl.DataFrame, ids: Ints | None = None) -> Delta:
    """All rows of a table; without ids each row stands for itself."""
    ids = np.arange(rows.height) if ids is None else ids
    return Delta(rows=rows, ids=ids, gone=np.zeros(0, np.int64), whole=True)
