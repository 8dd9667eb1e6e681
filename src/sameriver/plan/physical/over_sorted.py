"""Aggregates OVER a window ordered by plain columns: results of earlier rows change."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BIGINT, timestamp_ltz
from sameriver.plan.expressions import AggregateCall, SortKey, aggregate_to_sql
from sameriver.plan.meaning import Meanings, aggregate_meaning
from sameriver.plan.physical.aggregate_state import LAST_ACCESS, aggregate_state
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.ordering import order_meaning, order_text
from sameriver.plan.physical.window_state import key_columns

SHIFTS = ("LAG", "LEAD")
PLACES = ("ROW_NUMBER", "RANK", "DENSE_RANK", *SHIFTS)
"""Functions that read the order alone; they need no accumulator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverSorted(PhysicalNode):
    """Schema: the input's, then the calls. All calls have the same window.

    The frame goes from the first row of the partition to the current one, and on to its peers
    unless ``rows``. Rows may be taken back.

    Attributes:
        partition: columns.
        order: keys, which are columns.
        rows: whether peers come after the current row.
        calls: arguments and filters are columns or literals.
        folded: one change a row and batch; else the changes record by record.
        ttl: how long an untouched partition lives; None: ever.
    """

    input: PhysicalNode
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    rows: bool
    calls: tuple[AggregateCall, ...]
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        kinds = {ChangeKind.INSERT, ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER}
        if self.input.changelog != INSERT_ONLY:
            kinds.add(ChangeKind.DELETE)
        return frozenset(kinds)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.partition,)

    @property
    def aggregates(self) -> tuple[AggregateCall, ...]:
        """The calls that are computed by accumulators."""
        return tuple(call for call in self.calls if call.function not in PLACES)

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
        """All rows of the partitions; results are computed from them."""
        below, scope, names = self.input.meanings(), self.input.scope(), self.input.schema.names
        position = StateColumn(
            name=unique("position", names),
            type=BIGINT.not_null,
            meaning=Meaning(f"ROWS({self._window()}).position"),
            role=Role.KEY,
        )
        rows = [
            StateColumn(name=f.name, type=f.type.plain, meaning=below[f.name], role=Role.ROW)
            for f in self.input.schema
            if f.name not in self.partition
        ]
        if self.ttl:
            rows.append(
                StateColumn(
                    name=unique(LAST_ACCESS, names),
                    type=timestamp_ltz(3).not_null,
                    meaning=Meaning(LAST_ACCESS),
                    role=Role.INDEPENDENT,
                )
            )
        keys = key_columns(self.input.schema, self.partition, below)
        return (
            StateTable(
                name="rows", key=(*keys, position), values=tuple(rows), scope=scope, ttl=self.ttl
            ),
        )

    def passing(self) -> tuple[StateTable, ...]:
        """Tables of the accumulators that a batch uses; they don't outlive it."""
        slot = StateColumn(
            name="slot", type=BIGINT.not_null, meaning=Meaning("slot"), role=Role.KEY
        )
        return aggregate_state(
            keys=(slot,),
            calls=self.aggregates,
            retract=False,
            below=self.input.meanings(),
            scope=self.input.scope(),
            ttl=None,
        )

    def _window(self) -> str:
        below = self.input.meanings()
        keys = ", ".join(sorted(below[key] for key in self.partition))
        partition = f"PARTITION BY {keys} " if keys else ""
        return f"OVER ({partition}ORDER BY {order_meaning(self.order, below)} {self._frame()})"

    def _frame(self) -> str:
        unit = "ROWS" if self.rows else "RANGE"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"

    def details(self) -> tuple[tuple[str, str], ...]:
        calls = ", ".join(f"{aggregate_to_sql(call)} AS {call.name}" for call in self.calls)
        shown = [
            ("partitionBy", ", ".join(self.partition)),
            ("orderBy", order_text(self.order)),
            ("window", self._frame()),
            ("calls", calls),
            ("emits", "once a row and batch" if self.folded else "record by record"),
        ]
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple((name, text) for name, text in shown if text)
