"""Which expressions give the same value whenever they are computed from the same row."""

from __future__ import annotations

from sameriver.plan.expressions import Call, Expression, walk

_VOLATILE = frozenset(
    {
        "RAND", "RAND_INTEGER", "UUID", "PROCTIME", "NOW", "CURRENT_TIMESTAMP",
        "CURRENT_ROW_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP",
        "CURRENT_WATERMARK",
    }
)  # fmt: skip


def deterministic(expression: Expression) -> bool:
    """False if it reads a clock or a random number, or asks for the watermark."""
    return not any(
        isinstance(part, Call)
        and (part.function in _VOLATILE or (part.function == "UNIX_TIMESTAMP" and not part.args))
        for part in walk(expression)
    )
