"""Top-N and deduplication per window: ranks count within a window and come when it ends."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.state import Meaning, Role, RowScope, StateTable
from sameriver.plan.expressions import SortKey
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.ordering import order_text
from sameriver.plan.physical.ranked import position_column, ranking, row_columns
from sameriver.plan.physical.window_state import is_event_time
from sameriver.plan.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTopN(PhysicalNode):
    """Schema: the input's, then the rank if it is shown. The input is insert-only.

    Attributes:
        window: that the rows carry.
        ends: the column with the end of a row's window.
        partition: columns, those of the window among them.
        order: keys are columns.
        start, end: the ranks that come out, from 1.
        rank: the output column of the rank; None: it is not shown.
        latest: of equal rows the last to arrive is first, as in a deduplication by time.
    """

    input: PhysicalNode
    window: Window
    ends: str
    function: str
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int
    rank: str | None
    latest: bool

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.partition,)

    @property
    def refusal(self) -> UserError | None:
        if is_event_time(self.window):
            return None
        return UserError(
            "UNSUPPORTED",
            "Processing time Window TopN is not supported yet",
            hint="Cut the windows by event time: declare a WATERMARK and use its column.",
        )

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        if self.rank is None:
            return below
        return {**below, self.rank: Meaning(f"{self.function}({self._ranking()})")}

    def _ranking(self) -> str:
        return ranking(self.partition, self.order, self.input.meanings())

    def scope(self) -> RowScope:
        scope = self.input.scope()
        text = f"WINDOW {self.function}({self._ranking()}) {self.start}..{self.end}"
        return scope.through(text)

    def state(self) -> tuple[StateTable, ...]:
        """The rows of windows that have not ended."""
        rows = row_columns(self.input.schema, self.partition, self.input.meanings())
        columns = rows.values()
        position = position_column(self.input.schema)
        return (
            StateTable(
                name="rows",
                key=(*(c for c in columns if c.role is Role.KEY), position),
                values=tuple(c for c in columns if c.role is Role.ROW),
                scope=self.scope(),
            ),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("rankType", self.function), ("rankRange", f"{self.start}..{self.end}")]
        shown.append(("partitionBy", ", ".join(self.partition)))
        shown.append(("orderBy", order_text(self.order)))
        shown.append(("emits", "when the window ends"))
        return tuple(shown)
