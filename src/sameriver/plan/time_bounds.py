"""Bounds on the distance in time of the two rows of a join."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from sameriver.common.dataclass import dataclass
from sameriver.common.types import TIMESTAMPS, Root, TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.expressions import Call, Column, Expression, Literal
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import parts_of

_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_MS = timedelta(milliseconds=1)

IsTime = Callable[[str], bool]
"""Whether a column carries the stream's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """``lower <= left - right <= upper``, in ms, of two time attributes.

    ``rest`` holds the parts of the condition that say something else.
    """

    left: str
    right: str
    lower: int
    upper: int
    event_time: bool
    rest: tuple[Expression, ...]


@dataclass(slots=True)
class _Pair:
    """What is known of one pair of time attributes."""

    lower: int | None = None
    upper: int | None = None


@dataclass(frozen=True, slots=True)
class _Bound:
    left: str
    right: str
    function: str
    distance: int
    """``left - right function distance``"""


def time_bounds(parts: tuple[Expression, ...], left: IsTime, right: IsTime) -> TimeBounds | None:
    """The pair of time attributes that is bounded on both sides; None if there is none."""
    pairs: dict[tuple[str, str], _Pair] = {}
    bounds: dict[int, _Bound] = {}
    kinds: dict[tuple[str, str], bool] = {}
    for number, part in enumerate(parts):
        bound = _bound(part, left, right)
        if bound is None:
            continue
        bounds[number] = bound
        key = (bound.left, bound.right)
        kinds[key] = _attribute(part) is TimeAttribute.ROWTIME
        _narrow(pairs.setdefault(key, _Pair()), bound)
    for key, pair in pairs.items():
        if pair.lower is not None and pair.upper is not None:
            own = {n for n, b in bounds.items() if (b.left, b.right) == key}
            rest = tuple(part for n, part in enumerate(parts) if n not in own)
            return TimeBounds(
                left=key[0], right=key[1], lower=pair.lower, upper=pair.upper,
                event_time=kinds[key], rest=rest,
            )  # fmt: skip
    return None


def _narrow(pair: _Pair, bound: _Bound) -> None:
    distance = bound.distance
    if bound.function in (">", ">=", "="):
        low = distance + (bound.function == ">")
        pair.lower = low if pair.lower is None else max(pair.lower, low)
    if bound.function in ("<", "<=", "="):
        high = distance - (bound.function == "<")
        pair.upper = high if pair.upper is None else min(pair.upper, high)


def _bound(part: Expression, left: IsTime, right: IsTime) -> _Bound | None:
    if not isinstance(part, Call) or part.function not in _MIRROR:
        return None
    one, two = (_shifted(arg) for arg in part.args)
    if one is None or two is None or one[0].type.attribute is not two[0].type.attribute:
        return None
    function = part.function
    if right(one[0].name) and left(two[0].name):
        one, two, function = two, one, _MIRROR[function]
    if not (left(one[0].name) and right(two[0].name)):
        return None
    return _Bound(one[0].name, two[0].name, function, two[1] - one[1])


def _shifted(expression: Expression) -> tuple[Column, int] | None:
    """A time attribute and what is added to it in ms."""
    match expression:
        case Column(type=type) if type.attribute is not None:
            return expression, 0
        case Call(function="CAST", args=(inner,), type=type) if type.root in TIMESTAMPS:
            found = _shifted(inner)
            same = found is not None and found[0].type.root is type.root
            return found if same and (type.precision or 0) >= 3 else None
        case Call(function="+" | "-" as sign, args=(inner, other)):
            if sign == "+" and not _is_interval(other):
                inner, other = other, inner
            below, shift = _shifted(inner), _interval(other)
            if below is None or shift is None:
                return None
            return below[0], below[1] + (shift if sign == "+" else -shift)
    return None


def _is_interval(expression: Expression) -> bool:
    return expression.type.root is Root.INTERVAL_DAY_TIME


def _interval(expression: Expression) -> int | None:
    """A constant interval in ms."""
    match expression:
        case Literal(value=timedelta() as value):
            return value // _MS
        case Call(function="NEGATE", args=(inner,)):
            negated = _interval(inner)
            return None if negated is None else -negated
    return None


def _attribute(part: Expression) -> TimeAttribute | None:
    assert isinstance(part, Call)
    found = _shifted(part.args[0])
    return None if found is None else found[0].type.attribute


def interval_bounds(
    node: logical.Join, conditions: tuple[Expression, ...] | None = None
) -> TimeBounds | None:
    """The bounds that make a join an interval join; None if it is none.

    Args:
        node: the join.
        conditions: of ON, and, which counts for INNER only, of WHERE; None: those of the node.
    """
    if node.kind not in (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL):
        return None
    own = () if node.condition is None else parts_of(node.condition)
    if conditions is None or node.kind is not JoinKind.INNER:
        conditions = own
    return time_bounds(conditions, _carries(node.left), _carries(node.right))


def _carries(side: Logical) -> IsTime:
    return lambda name: name in side.schema and carries_time(side, name)
