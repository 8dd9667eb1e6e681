"""State declarations: what a stateful plan node keeps, as data.

The engine builds handles from them, checkpoints save by them, the compatibility check compares
them.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import Enum
from typing import NewType

from sameriver.common.dataclass import dataclass
from sameriver.common.types import DataType

Meaning = NewType("Meaning", str)
"""Canonical text of an expression over source columns, aliases and views resolved, such as
``SUM(orders.amount)``. Two columns are the same if their meanings are equal."""


class Role(Enum):
    """How a state column stands to the others of its table."""

    KEY = "key"
    INDEPENDENT = "independent"
    """An accumulator: may come and go without harming the others."""
    ROW = "row"
    """Part of a stored row: the row's columns stand or fall together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateColumn:
    """One column of a state table. ``name`` serves files and people, ``meaning`` is identity."""

    name: str
    type: DataType
    meaning: Meaning
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class RowScope:
    """Which rows ever reach a table.

    Attributes:
        sources: names of the tables below, sorted, repeated if read twice.
        filters: meanings of the conditions below, sorted.
        path: what else shapes the rows below: joins, aggregations, windows, unions; canonical
            texts from the sources up.
    """

    sources: tuple[str, ...]
    filters: tuple[Meaning, ...] = ()
    path: tuple[str, ...] = ()

    def through(self, step: str) -> RowScope:
        """The same rows, shaped by one step more."""
        return replace(self, path=(*self.path, step))


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTable:
    """A keyed table of state; an empty key means one row for the whole operator."""

    name: str
    key: tuple[StateColumn, ...]
    values: tuple[StateColumn, ...]
    scope: RowScope
    ttl: timedelta | None = None

    @property
    def columns(self) -> tuple[StateColumn, ...]:
        return self.key + self.values
