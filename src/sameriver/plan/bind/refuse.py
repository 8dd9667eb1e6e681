"""How the binder refuses what it does not know yet."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import Position, UserError
from sameriver.sql.nodes import position


def unsupported(construct: str, node: exp.Expr | Position | None, hint: str = "") -> UserError:
    """UNSUPPORTED: names the construct and where it stands."""
    where = node if isinstance(node, Position) or node is None else position(node)
    return UserError(
        "UNSUPPORTED",
        f"{construct} is not supported yet",
        hint=hint or "Leave it out, or run this statement on Apache Flink.",
        position=where,
    )
