"""GROUP BY without a window, and SELECT DISTINCT (no calls)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sameriver.plan.expressions import AggregateCall
from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAggregate(PhysicalNode):
    """Schema: keys, then calls. Arguments and filters of calls are input columns or literals.

    ``folded``: one -U/+U a key and batch; else the changes record by record.
    ``retract``: the input takes rows back, so a count of live rows is kept and accumulators must
    retract.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    retract: bool
    folded: bool
    ttl: timedelta | None = None
