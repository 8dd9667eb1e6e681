"""Computes watermarks from rows."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class WatermarkAssigner(PhysicalNode):
    """The watermark is the highest value so far of ``expression`` (None: the source's own).

    With ``on_event`` batches leave with a ``watermarks`` column; else one Watermark follows each
    batch. A NULL event time fails the job. Neither rows nor their meanings change.
    """

    input: PhysicalNode
    column: str
    expression: Expression | None
    on_event: bool = False

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    def meanings(self) -> Meanings:
        return self.input.meanings()

    def scope(self) -> RowScope:
        return self.input.scope()

    def details(self) -> tuple[tuple[str, str], ...]:
        text = "SOURCE_WATERMARK()" if self.expression is None else to_sql(self.expression)
        emit = (("emit", "on-event"),) if self.on_event else ()
        return (("rowtime", self.column), ("watermark", text), *emit)
