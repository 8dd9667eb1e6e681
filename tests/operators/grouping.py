"""Builds GROUP BY operators over made-up input, and a plain model of what they give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.state import Meaning, RowScope
from sameriver.common.time import ManualClock
from sameriver.operators.group_aggregate import GroupAggregateOperator
from sameriver.operators.operator import OperatorContext
from sameriver.plan.expressions import AggregateCall
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.node import PhysicalNode

Row = tuple[object, ...]
Change = tuple[str, Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(PhysicalNode):
    """Rows of a table ``t``."""

    def meanings(self) -> Meanings:
        return {name: Meaning(f"t.{name}") for name in self.schema.names}

    def scope(self) -> RowScope:
        return RowScope(sources=("t",))


def node(
    schema: Schema,
    keys: Sequence[str],
    calls: Sequence[AggregateCall],
    *,
    retract: bool = False,
    folded: bool = True,
    ttl: timedelta | None = None,
) -> GroupAggregate:
    columns = [(key, schema[key]) for key in keys] + [(call.name, call.type) for call in calls]
    return GroupAggregate(
        schema=Schema.of(columns),
        input=Source(schema=schema),
        keys=tuple(keys),
        calls=tuple(calls),
        retract=retract,
        folded=folded,
        ttl=ttl,
    )


class Grouping:
    """An operator that can be fed, stopped and restored."""

    def __init__(self, plan: GroupAggregate, clock: ManualClock | None = None) -> None:
        self.plan = plan
        self.clock = clock or ManualClock(1)
        self._start()

    def _start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = GroupAggregateOperator(self.plan, self.context)

    def feed(self, changes: Iterable[Change]) -> list[Change]:
        """Gives one batch; the changes that come out."""
        return self.feed_batch(batch(self.plan.inputs[0].schema, changes))

    def feed_batch(self, changes: Changes) -> list[Change]:
        out: list[Change] = []
        for event in self.operator.process(0, changes):
            assert isinstance(event, Changes)
            assert event.rows.schema == self.plan.schema.to_polars()
            kinds = [SYMBOLS[kind] for kind in event.kinds_or_inserts()]
            out.extend(zip(kinds, event.rows.rows(), strict=True))
        return out

    def restart(self) -> None:
        """Saves, and starts again from what was saved."""
        saved = self.context.store.snapshot()
        for table in self.plan.state():
            names = [column.name for column in table.columns]
            assert saved[table.name].columns == names
        self._start()
        self.context.store.restore(saved)


def batch(schema: Schema, changes: Iterable[Change]) -> Changes:
    """Changes as a batch, without kinds if all are inserts."""
    given = list(changes)
    rows = pl.DataFrame([row for _, row in given], schema=schema.to_polars(), orient="row")
    if all(kind == "+I" for kind, _ in given):
        return Changes(rows)
    return Changes(rows, pl.Series([SYMBOLS.index(kind) for kind, _ in given], dtype=pl.UInt8))


def table(changes: Iterable[Change], keys: int) -> dict[Row, Row]:
    """What a changelog adds up to; checks that each change fits the ones before."""
    rows: dict[Row, Row] = {}
    for kind, row in changes:
        key = row[:keys]
        if kind in ("+I", "+U"):
            assert key not in rows, (kind, row)
            rows[key] = row
        else:
            assert rows.pop(key) == row, (kind, row)
    return rows
