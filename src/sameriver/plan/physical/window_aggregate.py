"""Aggregation per window of a window TVF."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.expressions import AggregateCall
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.window import Window, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAggregate(PhysicalNode):
    """Emits each window once, when its end passes. Schema: keys, calls, properties.

    ``window`` cuts windows from a time column of the input. ``attached`` instead names the
    start and end columns that an input windowed before already carries (cascaded windows grouped
    by the inner window's own columns); then ``window`` tells kind and time type only.
    ``properties`` maps output columns to START, END or TIME. For TIMESTAMP_LTZ time, windows are
    cut in the session zone's wall time, START and END are TIMESTAMP(3) wall time there, TIME is
    TIMESTAMP_LTZ(3).
    """

    input: PhysicalNode
    window: Window
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, WindowProperty], ...]
    retract: bool
    attached: tuple[str, str] | None = None
