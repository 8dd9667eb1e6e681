"""The values that DISTINCT calls have seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.operators.accumulators import value_schema
from sameriver.operators.accumulators.accumulator import Held, Rows
from sameriver.operators.accumulators.inputs import call_rows
from sameriver.plan.expressions import AggregateCall, Expression
from sameriver.plan.physical.aggregate_state import SideTable, takes_nulls, value_arguments
from sameriver.state.kernels.types import Ints, Signs
from sameriver.state.multiset import Multiset
from sameriver.state.value_set import MOST_SETS, Marks, ValueSet

Seen = Iterator[tuple[tuple[int, ...], Rows]]
"""Calls (by number), and the rows they see: signs tell where a value came into being or went."""


class GrowingDistinct:
    """Of rows that only come in, with a set for each filter over the same arguments.

    Attributes:
        tables: beside the accumulators: what is saved.
        values: by slot.
    """

    def __init__(self, tables: tuple[SideTable, ...], calls: Sequence[AggregateCall]) -> None:
        self.tables = tables
        self._firsts = [calls[table.calls[0]] for table in tables]
        self._nulls = _take_nulls(tables, calls)
        schema = value_schema(self._firsts[0])
        self.values = ValueSet(schema, nulls=self._nulls, sets=len(tables))

    def rows(self, slots: Ints, changes: Changes, signs: Signs | None) -> Seen:
        """A batch as the calls see it."""
        seen = [call_rows(first, slots, changes, None, nulls=self._nulls) for first in self._firsts]
        marks = np.ones((len(seen), len(slots)), np.int8)
        for mark, rows in zip(marks, seen, strict=True):
            if rows.signs is not None:
                mark[:] = rows.signs
        values = seen[0].values
        if any(rows.signs is None for rows in seen):
            self.values.add(slots, values, marks)
        else:
            some = np.flatnonzero(np.bitwise_or.reduce(marks))
            fewer = marks.take(some, axis=1)
            self.values.add(slots[some], values[pl.Series(some)], fewer)
            marks[:, some] = fewer
        return self._seen(slots, values, marks)

    def _seen(self, slots: Ints, values: pl.DataFrame, marks: Marks) -> Seen:
        for table, mark in zip(self.tables, marks, strict=True):
            yield table.calls, Rows(slots, values, mark)

    def absorb(self, into: Ints, other: Distinct, slots: Ints) -> Seen:
        """Adds the values of another's slots; gives those that are new."""
        assert isinstance(other, GrowingDistinct)
        rows, values, marks = other.values.entries(slots)
        self.values.add(into[rows], values, marks)
        return self._seen(into[rows], values, marks)

    def held(self, table: SideTable) -> Held:
        """The values of one of the tables."""
        return self.values.sets[self.tables.index(table)]

    def load(self, table: SideTable, slots: Ints, rows: pl.DataFrame) -> None:
        """Takes over what was saved of one of the tables."""
        self.values.sets[self.tables.index(table)].load(slots, rows)


class CountedDistinct:
    """How often each value was seen, of rows that may be taken back: as ``GrowingDistinct``."""

    def __init__(self, table: SideTable, calls: Sequence[AggregateCall]) -> None:
        self.tables: tuple[SideTable, ...] = (table,)
        self._first = calls[table.calls[0]]
        self._nulls = _take_nulls(self.tables, calls)
        self.values = Multiset(value_schema(self._first), nulls=self._nulls)

    def rows(self, slots: Ints, changes: Changes, signs: Signs | None) -> Seen:
        rows = call_rows(self._first, slots, changes, signs, nulls=self._nulls)
        kept = rows.present()
        changed = self.values.add(kept.slots, kept.values, kept.weights())
        if rows.signs is not None:
            everywhere = np.zeros(len(slots), np.int8)
            everywhere[rows.signs != 0] = changed
            changed = everywhere
        yield self.tables[0].calls, Rows(slots, rows.values, changed)

    def absorb(self, into: Ints, other: Distinct, slots: Ints) -> Seen:
        assert isinstance(other, CountedDistinct)
        rows, values, counts = other.values.entries(slots, owed=True)
        changed = self.values.add(into[rows], values, counts)
        yield self.tables[0].calls, Rows(into[rows], values, changed)

    def held(self, table: SideTable) -> Held:
        return self.values

    def load(self, table: SideTable, slots: Ints, rows: pl.DataFrame) -> None:
        counts = rows.to_series(rows.width - 1).to_numpy()
        self.values.add(slots, rows[:, :-1], counts)


Distinct = GrowingDistinct | CountedDistinct


def distinct(
    tables: Sequence[SideTable], calls: Sequence[AggregateCall], *, retract: bool
) -> list[Distinct]:
    """What holds the values of tables.

    Sets of the same arguments stand together, if no call depends on the order of its values.
    """
    if retract:
        return [CountedDistinct(table, calls) for table in tables]
    alone: list[Distinct] = []
    together: dict[tuple[Expression, ...], list[SideTable]] = {}
    for table in tables:
        if all(calls[number].function == "COUNT" for number in table.calls):
            arguments = value_arguments(calls[table.calls[0]])
            together.setdefault(arguments, []).append(table)
        else:
            alone.append(GrowingDistinct((table,), calls))
    groups = (
        some[start : start + MOST_SETS]
        for some in together.values()
        for start in range(0, len(some), MOST_SETS)
    )
    return [*alone, *(GrowingDistinct(tuple(group), calls) for group in groups)]


def _take_nulls(tables: Sequence[SideTable], calls: Sequence[AggregateCall]) -> bool:
    return any(takes_nulls(calls[number]) for table in tables for number in table.calls)
