"""The functions of SQL: types and kernels, found by name."""

from __future__ import annotations

from sameriver.functions.addresses import ADDRESSES
from sameriver.functions.aggregates import AGGREGATES
from sameriver.functions.arithmetic import ARITHMETIC
from sameriver.functions.bitmaps import BITMAPS
from sameriver.functions.collections import COLLECTIONS
from sameriver.functions.comparison import COMPARISON
from sameriver.functions.conditional import CONDITIONAL
from sameriver.functions.conversion import CONVERSION
from sameriver.functions.hashing import HASHING
from sameriver.functions.identity import IDENTITY
from sameriver.functions.json import JSON
from sameriver.functions.logic import LOGIC
from sameriver.functions.mathematics import MATHEMATICS
from sameriver.functions.objects import OBJECTS
from sameriver.functions.percentile import PERCENTILES
from sameriver.functions.ranking import RANKING
from sameriver.functions.regex import REGEX
from sameriver.functions.signature import AggregateFunction, ScalarFunction
from sameriver.functions.strings import STRINGS
from sameriver.functions.temporal import TEMPORALS
from sameriver.functions.variants import VARIANTS

FAMILIES = {
    "Comparison": COMPARISON,
    "Logic": LOGIC,
    "Arithmetic": ARITHMETIC,
    "Mathematics": MATHEMATICS,
    "Choice": CONDITIONAL,
    "Conversion": CONVERSION,
    "Text": STRINGS,
    "Patterns": REGEX,
    "Hashes": HASHING,
    "Addresses": ADDRESSES,
    "Time": TEMPORALS,
    "Collections": COLLECTIONS,
    "Objects": OBJECTS,
    "Bitmaps": BITMAPS,
    "Variants": VARIANTS,
    "JSON": JSON,
    "Identity and types": IDENTITY,
    "Percentiles": PERCENTILES,
}
"""Scalar functions and operators, by what they are about."""

_SCALARS = {
    name: function
    for family in FAMILIES.values()
    for function in family
    for name in (function.name, *function.aliases)
}
_AGGREGATES = {
    name: function for function in AGGREGATES for name in (function.name, *function.aliases)
}


_RANKING = {function.name: function for function in RANKING}


def scalar(name: str) -> ScalarFunction | None:
    """The scalar function of this name, in any case."""
    return _SCALARS.get(name.upper())


def aggregate(name: str) -> AggregateFunction | None:
    """The aggregate function of this name, in any case."""
    return _AGGREGATES.get(name.upper())


def ranking(name: str) -> AggregateFunction | None:
    """The function of this name that only OVER windows have, in any case."""
    return _RANKING.get(name.upper())


def names() -> list[str]:
    """Every name a call can have, operators left out, sorted."""
    every = {*_SCALARS, *_AGGREGATES, *_RANKING}
    return sorted(name for name in every if name[0].isalpha() and " " not in name)
