"""``/*+ LOOKUP('table' = 'dim', ...) */``: how Flink is to look rows up; checked, then left aside.

A batch is looked up at once here, so what the hint tunes has no counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.time import parse_duration
from sameriver.sql.nodes import position

_BOOLEANS = ("true", "false")
_CHOICES: Mapping[str, Sequence[str]] = {
    "async": _BOOLEANS,
    "shuffle": _BOOLEANS,
    "output-mode": ("ordered", "allow_unordered"),
    "retry-predicate": ("lookup_miss",),
    "retry-strategy": ("fixed_delay",),
}
_NUMBERS = ("capacity", "max-attempts")
_DURATIONS = ("timeout", "fixed-delay")
_RETRY = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
_KEYS = ("table", *_CHOICES, *_NUMBERS, *_DURATIONS)


def check_lookup_hint(call: exp.Expr, pairs: Mapping[str, str], known: Sequence[str]) -> None:
    """Checks the options of a LOOKUP hint.

    Args:
        call: the hint.
        pairs: its options.
        known: tables, views and aliases of the query block.

    Raises:
        UserError: BAD_HINT, UNKNOWN_HINT_TABLE, BAD_DURATION.
    """
    for key, value in pairs.items():
        if key not in _KEYS:
            raise _bad(call, f"hint LOOKUP has no option '{key}'", nearest(key, _KEYS), key)
        if key in _CHOICES and value.lower() not in _CHOICES[key]:
            way_out = f"Write {' or '.join(_CHOICES[key])}."
            raise _bad(call, f"'{key}' is '{value}'", way_out, value)
        if key in _NUMBERS:
            _check(call, key, value, lambda text: int(text) > 0)
        if key in _DURATIONS:
            parse_duration(value)
    if "table" not in pairs:
        raise _bad(call, "hint LOOKUP names no table", "Add 'table' = '...'.")
    given = [key for key in _RETRY if key in pairs]
    if given and len(given) < len(_RETRY):
        missing = next(key for key in _RETRY if key not in pairs)
        raise _bad(call, f"retries of hint LOOKUP need '{missing}' too", f"Add '{missing}'.")
    if pairs["table"] not in known:
        raise UserError(
            "UNKNOWN_HINT_TABLE",
            f"hint LOOKUP names '{pairs['table']}', which is no table, view or alias of this query",
            hint=nearest(pairs["table"], known) + " Where there is an alias, use the alias.",
            position=place_of(pairs["table"]) or position(call),
        )


def _check(call: exp.Expr, key: str, value: str, good: Callable[[str], bool]) -> None:
    try:
        fine = good(value)
    except ValueError:
        fine = False
    if not fine:
        raise _bad(call, f"'{key}' is '{value}'", "Write a whole number above 0.", value)


def _bad(call: exp.Expr, message: str, hint: str, what: str = "") -> UserError:
    """The error at ``what``, a key or value, or at the whole hint."""
    return UserError("BAD_HINT", message, hint=hint, position=place_of(what) or position(call))
