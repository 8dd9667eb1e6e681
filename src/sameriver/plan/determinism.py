"""Which expressions give the same value whenever they are computed from the same row."""

from __future__ import annotations

from sameriver import functions
from sameriver.plan.expressions import Call, Expression, walk

_CLOCKS = frozenset(
    {
        "PROCTIME", "NOW", "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP", "CURRENT_DATE",
        "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_WATERMARK",
    }
)  # fmt: skip


def deterministic(expression: Expression) -> bool:
    """False if it reads a clock or a random number, or asks for the watermark."""
    return not any(isinstance(part, Call) and _volatile(part) for part in walk(expression))


def _volatile(call: Call) -> bool:
    if call.function in _CLOCKS or (call.function == "UNIX_TIMESTAMP" and not call.args):
        return True
    function = call.definition or functions.scalar(call.function)
    return function is not None and not function.deterministic
