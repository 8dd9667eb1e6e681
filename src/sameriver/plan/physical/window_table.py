"""A window TVF without aggregate: adds window_start, window_end, window_time; stateless but for
SESSION, which holds rows until their session closes."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTable(PhysicalNode):
    """Schema: the input's columns, then the window's three, named by start, end and time."""

    input: PhysicalNode
    window: Window
    start: str
    end: str
    time: str
