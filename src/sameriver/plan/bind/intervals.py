"""``INTERVAL '1:30' HOUR TO MINUTE`` and its like."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

from sqlglot import exp

from sameriver.common import types as t
from sameriver.common.errors import UserError
from sameriver.plan.expressions import Literal
from sameriver.sql.nodes import position

_UNITS = ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_MILLISECONDS = {
    "WEEK": 604_800_000,
    "DAY": 86_400_000,
    "HOUR": 3_600_000,
    "MINUTE": 60_000,
    "SECOND": 1000,
    "MILLISECOND": 1,
}
MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_LIMITS = {"HOUR": 24, "MINUTE": 60, "SECOND": 60, "MONTH": 12}
"""What a part after the first stays below."""
_EXAMPLES = {
    ("DAY", "HOUR"): "'1 12'",
    ("DAY", "MINUTE"): "'1 12:30'",
    ("DAY", "SECOND"): "'1 12:30:15.5'",
    ("HOUR", "MINUTE"): "'1:30'",
    ("HOUR", "SECOND"): "'1:30:15.5'",
    ("MINUTE", "SECOND"): "'1:30.5'",
    ("YEAR", "MONTH"): "'1-6'",
}


def interval(node: exp.Interval) -> Literal:
    """The literal: a timedelta, or months for YEAR and MONTH.

    Raises:
        UserError: BAD_INTERVAL.
    """
    first, last = _span(node.args["unit"])
    written = node.this.this.strip()
    sign = -1 if written.startswith("-") else 1
    body = written.lstrip("+-") if written[:1] in ("+", "-") else written
    parts = _parts(body, first, last)
    if parts is None:
        raise _bad(node, first, last)
    if first in MONTHS:
        months = sum(int(number) * MONTHS[unit] for unit, number in parts)
        return Literal(sign * months, t.INTERVAL_YEAR_MONTH.not_null)
    milliseconds = sum(_ticks(unit, number) for unit, number in parts)
    return Literal(timedelta(milliseconds=sign * milliseconds), t.INTERVAL_DAY_TIME.not_null)


def so_many(number: int | Decimal, unit: str) -> Literal:
    """The interval of so many units; what is left of a month or millisecond is cut."""
    if unit in MONTHS:
        return Literal(int(number * MONTHS[unit]), t.INTERVAL_YEAR_MONTH.not_null)
    length = timedelta(milliseconds=int(number * _MILLISECONDS[unit]))
    return Literal(length, t.INTERVAL_DAY_TIME.not_null)


def _span(unit: exp.Expr) -> tuple[str, str]:
    if isinstance(unit, exp.IntervalSpan):
        return unit.this.name.upper(), unit.expression.name.upper()
    return unit.name.upper(), unit.name.upper()


def _parts(body: str, first: str, last: str) -> list[tuple[str, str]] | None:
    """Unit and number of each part; None if the text does not fit the units."""
    units = tuple(MONTHS) if first in MONTHS else _UNITS
    if first not in units or last not in units or units.index(first) > units.index(last):
        return None
    named = [
        u for u in units[units.index(first) : units.index(last) + 1] if u != "QUARTER" or u == first
    ]
    pattern = _number(named[0])
    for before, unit in pairwise(named):
        separator = {"DAY": r"\s+", "YEAR": "-"}.get(before, ":")
        pattern += separator + _number(unit)
    found = re.fullmatch(pattern, body)
    if found is None:
        return None
    parts = list(zip(named, found.groups(), strict=True))
    over = any(float(number) >= _LIMITS[unit] for unit, number in parts[1:])
    return None if over else parts


def _number(unit: str) -> str:
    return r"(\d+(?:\.\d{0,6})?)" if unit == "SECOND" else r"(\d+)"


def _ticks(unit: str, number: str) -> int:
    whole, _, fraction = number.partition(".")
    return int(whole) * _MILLISECONDS[unit] + int(fraction[:3].ljust(3, "0"))


def _bad(node: exp.Interval, first: str, last: str) -> UserError:
    units = first if first == last else f"{first} TO {last}"
    example = "'10'" if first == last else _EXAMPLES.get((first, last))
    return UserError(
        "BAD_INTERVAL",
        f"'{node.this.this}' is not an interval of {units}",
        hint=(
            f"Write it like INTERVAL {example} {units}."
            if example
            else "Write the larger unit first, such as INTERVAL '1 12' DAY TO HOUR."
        ),
        position=position(node),
    )
