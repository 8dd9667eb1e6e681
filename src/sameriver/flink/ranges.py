"""Sets of ranges, which Flink makes of comparisons with constants, as comparisons again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sameriver.flink.compiled import Data

_SEARCH = "$SEARCH$1"
_LOWER = {"OPEN": ">", "CLOSED": ">="}
_UPPER = {"OPEN": "<", "CLOSED": "<="}


def comparisons(expression: Data) -> Data:
    """``x IN (1, 2)``, ``x BETWEEN 1 AND 3`` and their like by AND, OR, =, <> and so on.

    What is no such set stays as it is. JSON of expressions, as in compiled plans.
    """
    if expression.get("internalName") != _SEARCH:
        return expression
    of, among = expression["operands"]
    ranges, type = among["sarg"]["ranges"], among["type"]
    if (points := _left_out(ranges)) is not None:
        found = _joined("AND", [_compared("<>", of, point, type) for point in points])
    else:
        found = _joined("OR", [_within(part, of, type) for part in ranges])
    match among["sarg"]["nullAs"]:
        case "TRUE":
            return _joined("OR", [_call("IS NULL", of), found])
        case "FALSE":
            return _joined("AND", [_call("IS NOT NULL", of), found])
    return found


def _left_out(ranges: Sequence[Data]) -> list[object] | None:
    """The points that are not in it, if all others are."""
    if len(ranges) < 2 or "lower" in ranges[0] or "upper" in ranges[-1]:
        return None
    gaps = [(one["upper"], two["lower"]) for one, two in pairwise(ranges)]
    return [upper["value"] for upper, _ in gaps] if all(up == low for up, low in gaps) else None


def _within(part: Data, of: Data, type: object) -> Data:
    return _joined("AND", list(_ends(part.get("lower"), part.get("upper"), of, type)))


def _ends(lower: Data | None, upper: Data | None, of: Data, type: object) -> Iterator[Data]:
    if lower and upper and lower["value"] == upper["value"]:
        yield _compared("=", of, lower["value"], type)
        return
    if lower:
        yield _compared(_LOWER[lower["boundType"]], of, lower["value"], type)
    if upper:
        yield _compared(_UPPER[upper["boundType"]], of, upper["value"], type)


def _compared(name: str, of: Data, value: object, type: object) -> Data:
    return _call(name, of, {"kind": "LITERAL", "value": value, "type": type})


def _joined(name: str, parts: Sequence[Data]) -> Data:
    return parts[0] if len(parts) == 1 else _call(name, *parts)


def _call(name: str, *operands: Data) -> Data:
    return {
        "kind": "CALL", "internalName": f"${name}$1", "operands": operands, "type": "BOOLEAN",
    }  # fmt: skip
