"""Whether what an operator is fed with depends on the session's time zone."""

from __future__ import annotations

from sameriver.common.types import Root
from sameriver.compat.expressions import feeding
from sameriver.plan.expressions import AggregateCall, Call
from sameriver.plan.physical.node import PhysicalNode

_ZONED = frozenset(
    {
        "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "FROM_UNIXTIME",
        "UNIX_TIMESTAMP",
    }
)  # fmt: skip
_INSTANTS = frozenset(
    {
        "=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS NOT NULL", "IS DISTINCT FROM",
        "IS NOT DISTINCT FROM", "PROCTIME", "CURRENT_TIMESTAMP", "NOW", "COALESCE", "CASE",
    }
)  # fmt: skip
"""Functions of points in time that read no zone."""


def reads_zone(node: PhysicalNode) -> bool:
    """Whether a call in the node or below turns points in time into wall time, or back."""
    return any(isinstance(call, Call) and _zoned(call) for call in feeding(node))


def _zoned(call: Call | AggregateCall) -> bool:
    if call.function in _ZONED:
        return True
    types = [call.type, *(arg.type for arg in call.args)]
    instants = any(type.root is Root.TIMESTAMP_LTZ for type in types)
    same = call.function == "CAST" and all(type.root is Root.TIMESTAMP_LTZ for type in types)
    return instants and not same and call.function not in _INSTANTS
