"""Top-N: the rows of each key in a range of ranks."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import timestamp_ltz
from sameriver.plan.expressions import SortKey
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.aggregate_state import LAST_ACCESS
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode
from sameriver.plan.physical.ordering import order_text
from sameriver.plan.physical.ranked import position_column, ranking, row_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class TopN(PhysicalNode):
    """Schema: the input's, then the rank if it is shown.

    Attributes:
        function: ROW_NUMBER, RANK or DENSE_RANK.
        partition: columns; none: one ranking of all rows.
        order: keys are columns.
        start, end: the ranks that come out, from 1.
        rank: the output column of the rank; None: it is not shown.
        retract: the input takes rows back, so that all rows are kept; else those up to ``end``.
        folded: only what a batch changes at its end; else record by record.
    """

    input: PhysicalNode
    function: str
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int
    rank: str | None
    retract: bool
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return frozenset(ChangeKind)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.partition,)

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        if self.rank is None:
            return below
        return {**below, self.rank: Meaning(f"{self.function}({self._ranking()})")}

    def _ranking(self) -> str:
        return ranking(self.partition, self.order, self.input.meanings())

    def _text(self) -> str:
        return f"{self.function}({self._ranking()}) {self.start}..{self.end}"

    def scope(self) -> RowScope:
        scope = self.input.scope()
        return scope.through(self._text())

    def state(self) -> tuple[StateTable, ...]:
        """The rows of each key, in order."""
        names = self.input.schema.names
        columns = row_columns(self.input.schema, self.partition, self.input.meanings())
        position = position_column(self.input.schema)
        values = [columns[name] for name in names if name not in self.partition]
        if self.ttl is not None:
            access = StateColumn(
                name=unique(LAST_ACCESS, (*names, position.name)),
                type=timestamp_ltz(3).not_null,
                meaning=Meaning(LAST_ACCESS.upper()),
                role=Role.ROW,
            )
            values.append(access)
        return (
            StateTable(
                name="rows",
                key=(*(columns[name] for name in self.partition), position),
                values=tuple(values),
                scope=self.scope(),
                ttl=self.ttl,
            ),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("rankType", self.function), ("rankRange", f"{self.start}..{self.end}")]
        if self.partition:
            shown.append(("partitionBy", ", ".join(self.partition)))
        shown.append(("orderBy", order_text(self.order)))
        shown.append(("rows", "all, the input takes back" if self.retract else "up to the end"))
        shown.append(("emits", "what a batch changes" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
