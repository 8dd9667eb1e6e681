"""Computes watermarks from rows."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.expressions import Expression
from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class WatermarkAssigner(PhysicalNode):
    """The watermark is the highest value so far of ``expression`` (None: the source's own).

    With ``on_event`` batches leave with a ``watermarks`` column; else one Watermark follows each
    batch. A NULL event time fails the job.
    """

    input: PhysicalNode
    column: str
    expression: Expression | None
    on_event: bool = False
