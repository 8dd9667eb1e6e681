"""Aggregates OVER a window ordered by a time attribute."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BIGINT, TimeAttribute, timestamp_ltz
from sameriver.plan.expressions import AggregateCall, Column, aggregate_to_sql
from sameriver.plan.logical import Frame
from sameriver.plan.meaning import Meanings, aggregate_meaning
from sameriver.plan.physical.aggregate_state import aggregate_state
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.window_state import key_columns

LAG = "LAG"
"""Reads the first row of a full frame; it needs no accumulator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverAggregate(PhysicalNode):
    """Schema: the input's, then the calls. All calls have the same window.

    Event time: rows wait until the watermark passes them. The frame ends at the current row.

    Attributes:
        partition: columns.
        time: the column that orders, a time attribute.
        frame: rows or ms before the current row; unbounded by rows also in processing time.
        calls: arguments and filters are columns or literals.
        ttl: how long an untouched key lives; None: ever.
    """

    input: PhysicalNode
    partition: tuple[str, ...]
    time: str
    frame: Frame
    calls: tuple[AggregateCall, ...]
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def event_time(self) -> bool:
        return self.input.schema[self.time].attribute is not TimeAttribute.PROCTIME

    @property
    def bounded(self) -> bool:
        return self.frame.preceding is not None

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.partition,)

    @property
    def aggregates(self) -> tuple[AggregateCall, ...]:
        """The calls that have accumulators."""
        return tuple(call for call in self.calls if call.function != LAG)

    def arguments(self) -> Schema:
        """The input columns that calls read; a row needs one to exist."""
        expressions = [e for call in self.calls for e in (*call.args, call.filter)]
        read = {e.name for e in expressions if isinstance(e, Column)} or {self.time}
        return Schema(tuple(f for f in self.input.schema if f.name in read))

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        window = self._window()
        calls = {
            call.name: Meaning(f"{aggregate_meaning(call, below)} {window}") for call in self.calls
        }
        return {**below, **calls}

    def scope(self) -> RowScope:
        return self.input.scope()

    def state(self) -> tuple[StateTable, ...]:
        """Rows that wait (event time), accumulators, and the rows in the frames (bounded ones).

        The input row is part of the operator's identity, as in Flink.
        """
        below, scope = self.input.meanings(), self.input.scope()
        row = ", ".join(sorted(below[name] for name in self.input.schema.names))
        scope = scope.through(f"{self._window()} OF ({row})")
        keys = key_columns(self.input.schema, self.partition, below)
        tables = list(
            aggregate_state(
                keys=keys,
                calls=self.aggregates,
                retract=self.bounded,
                below=below,
                scope=scope,
                ttl=self.ttl,
            )
        )
        if self.event_time:
            tables.append(self._rows("rows", keys, self.input.schema, scope, ()))
        if self.bounded:
            tables.append(self._rows("frame", keys, self.arguments(), scope, self._frame_time()))
        return tuple(tables)

    def _frame_time(self) -> tuple[StateColumn, ...]:
        return (
            StateColumn(
                name=unique("frame_time", self.input.schema.names),
                type=timestamp_ltz(3).not_null,
                meaning=Meaning(f"TIME({self._window()})"),
                role=Role.ROW,
            ),
        )

    def _rows(
        self,
        name: str,
        keys: tuple[StateColumn, ...],
        schema: Schema,
        scope: RowScope,
        more: tuple[StateColumn, ...],
    ) -> StateTable:
        below = self.input.meanings()
        position = StateColumn(
            name=unique("position", self.input.schema.names),
            type=BIGINT.not_null,
            meaning=Meaning(f"{name.upper()}({self._window()}).position"),
            role=Role.KEY,
        )
        values = tuple(
            StateColumn(name=f.name, type=f.type.plain, meaning=below[f.name], role=Role.ROW)
            for f in schema
            if f.name not in self.partition
        )
        ttl = self.ttl if name == "frame" else None
        return StateTable(
            name=name, key=(*keys, position), values=(*values, *more), scope=scope, ttl=ttl
        )

    def _window(self) -> str:
        below = self.input.meanings()
        keys = ", ".join(sorted(below[key] for key in self.partition))
        time = below[self.time] if self.event_time else "PROCTIME()"
        partition = f"PARTITION BY {keys} " if keys else ""
        return f"OVER ({partition}ORDER BY {time} {self._frame()})"

    def _frame(self) -> str:
        unit = "ROWS" if self.frame.rows else "RANGE"
        size = self.frame.preceding
        start = "UNBOUNDED" if size is None else f"{size}" if self.frame.rows else f"{size} ms"
        return f"{unit} BETWEEN {start} PRECEDING AND CURRENT ROW"

    def details(self) -> tuple[tuple[str, str], ...]:
        calls = ", ".join(f"{aggregate_to_sql(call)} AS {call.name}" for call in self.calls)
        shown = [("partitionBy", ", ".join(self.partition)), ("orderBy", f"{self.time} ASC")]
        shown += [("window", self._frame()), ("calls", calls)]
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple((name, text) for name, text in shown if text)
