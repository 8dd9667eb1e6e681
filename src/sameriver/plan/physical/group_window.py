"""Legacy group windows: GROUP BY k, TUMBLE(ts, ...), with early and late fire."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.expressions import AggregateCall
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.window import Window, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWindow(PhysicalNode):
    """Schema: keys, calls, properties. Delays in ms; None: off. ``lateness`` in ms."""

    input: PhysicalNode
    window: Window
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, WindowProperty], ...]
    retract: bool
    early_fire: int | None = None
    late_fire: int | None = None
    lateness: int = 0
