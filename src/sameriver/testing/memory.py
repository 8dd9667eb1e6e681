"""What operators hold in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from sameriver.operators.operator import Operator

_FOLLOWED = ("sameriver.state", "sameriver.operators")
"""Packages whose objects may be part of state."""


def held(operators: Iterable[Operator]) -> int:
    """Bytes of the arrays and frames that operators lead to, room to grow included."""
    seen: set[int] = set()
    return sum(_size(operator, seen) for operator in operators)


def _size(thing: Any, seen: set[int]) -> int:
    if isinstance(thing, np.ndarray) and thing.base is not None:
        thing = thing.base
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, pl.DataFrame | pl.Series):
        return int(thing.estimated_size())
    return sum(_size(part, seen) for part in _parts(thing))


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, list | tuple):
        return list(thing)
    if type(thing).__module__.startswith(_FOLLOWED):
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        named = [getattr(thing, name) for name in slots if hasattr(thing, name)]
        return [*named, *getattr(thing, "__dict__", {}).values()]
    return []
