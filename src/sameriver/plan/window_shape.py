"""Which joins are window joins."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.rules.tree import parts_of
from sameriver.plan.window import Window, WindowProperty
from sameriver.plan.window_columns import WindowColumns, window_columns


@dataclass(frozen=True, slots=True)
class JoinedWindows:
    """The window of both sides, its start and end columns on either, and what else is asked."""

    window: Window
    left: tuple[str, str]
    right: tuple[str, str]
    rest: tuple[Expression, ...]


def joined_windows(
    node: logical.Join, conditions: tuple[Expression, ...] | None = None
) -> JoinedWindows | None:
    """The windows of a join on their starts and ends; None if it is another join.

    As in Flink both sides must be cut by windows of the same definition, event time or not.

    Args:
        node: the join.
        conditions: of ON, and, which counts for INNER only, of WHERE; None: those of the node.
    """
    own = () if node.condition is None else parts_of(node.condition)
    if conditions is None or node.kind is not JoinKind.INNER:
        conditions = own
    if node.null_aware or not conditions:
        return None
    left, right = window_columns(node.left), window_columns(node.right)
    if left.window is None or right.window is None or not _same(left.window, right.window):
        return None
    pairs: dict[WindowProperty, tuple[str, str]] = {}
    rest = []
    for part in conditions:
        found = _pair(part, left, right)
        if found is None:
            rest.append(part)
        else:
            pairs.setdefault(found[0], found[1:])
    if not {WindowProperty.START, WindowProperty.END} <= set(pairs):
        return None
    start, end = pairs[WindowProperty.START], pairs[WindowProperty.END]
    return JoinedWindows(left.window, (start[0], end[0]), (start[1], end[1]), tuple(rest))


def _same(left: Window, right: Window) -> bool:
    """Whether windows are cut alike, be it by columns of other names."""
    same = replace(left, time=right.time, type=right.type, partition=right.partition) == right
    return (
        same
        and left.type.plain.not_null == right.type.plain.not_null
        and (left.type.attribute is right.type.attribute)
    )


def _pair(
    part: Expression, left: WindowColumns, right: WindowColumns
) -> tuple[WindowProperty, str, str] | None:
    """Start equals start, or end equals end: which, and the columns."""
    if not isinstance(part, Call) or part.function not in ("=", "IS NOT DISTINCT FROM"):
        return None
    one, two = part.args
    if not isinstance(one, Column) or not isinstance(two, Column):
        return None
    names = one.name, two.name
    if names[0] in right.properties and names[1] in left.properties:
        names = names[1], names[0]
    which = left.properties.get(names[0])
    if which is None or which is not right.properties.get(names[1]):
        return None
    return None if which is WindowProperty.TIME else (which, *names)
