"""GROUP BY as grouping sets: plain keys, GROUPING SETS, ROLLUP, CUBE and their combination."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product

from sqlglot import exp

Set = tuple[exp.Expr, ...]
"""Keys as written."""


def grouping_sets(elements: Iterable[exp.Expr]) -> list[Set]:
    """The sets that the elements of a GROUP BY make together: one of each, joined."""
    choices = [_sets(element) for element in elements]
    return [tuple(key for part in chosen for key in part) for chosen in product(*choices)]


def _sets(element: exp.Expr) -> list[Set]:
    parts = [_keys(part) for part in element.expressions]
    match element:
        case exp.GroupingSets():
            return [chosen for part in element.expressions for chosen in _sets(part)]
        case exp.Rollup():
            return [_joined(parts[:length]) for length in range(len(parts), -1, -1)]
        case exp.Cube():
            return [
                _joined(chosen)
                for length in range(len(parts), -1, -1)
                for chosen in combinations(parts, length)
            ]
    return [_keys(element)]


def _keys(element: exp.Expr) -> Set:
    """``a``, ``(a, b)`` or ``()``."""
    return tuple(element.expressions) if isinstance(element, exp.Tuple) else (element,)


def _joined(parts: Sequence[Set]) -> Set:
    return tuple(key for part in parts for key in part)
