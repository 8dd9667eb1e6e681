"""Hints: ``/*+ STATE_TTL('t' = '1 d') */`` after SELECT, ``/*+ OPTIONS(...) */`` after a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Placed, UserError, nearest
from sameriver.common.time import parse_duration
from sameriver.plan.bind.lookup_hint import check_lookup_hint
from sameriver.plan.bind.scope import Scope
from sameriver.sql.nodes import position

_BATCH_ONLY = ("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN", "LOOKUP")
"""How Flink is to run a join; they never change what a query means."""
_STATE = ("STATE_TTL", "JOIN_STATE_TTL")


def table_options(table: exp.Expr) -> tuple[tuple[str, str], ...]:
    """Options of the OPTIONS hint of a table in FROM.

    Raises:
        UserError: UNKNOWN_HINT, BAD_HINT.
    """
    return tuple(options_of(table.args.get("hints") or ()).items())


def options_of(hints: Iterable[exp.Expr]) -> dict[str, str]:
    """Options of the OPTIONS hints behind the name of a table.

    Raises:
        UserError: UNKNOWN_HINT, BAD_HINT.
    """
    options: dict[str, str] = {}
    for hint in hints:
        for call in hint.expressions:
            name = call.name.upper()
            if name != "OPTIONS":
                raise _unknown(call, ("OPTIONS",))
            options |= _pairs(call)
    return options


@dataclass(frozen=True, slots=True)
class StateHints:
    """Durations of STATE_TTL and JOIN_STATE_TTL in a query block.

    Attributes:
        joins: by table, view or alias; each holds for a side of a join that is just this.
        aggregate: for GROUP BY, where the block reads nothing else than what STATE_TTL names.
    """

    joins: Mapping[str, str]
    aggregate: str | None


def state_ttl(select: exp.Expr, scope: Scope) -> StateHints:
    """The hints of a query block.

    Raises:
        UserError: UNKNOWN_HINT, BAD_HINT, BAD_DURATION.
    """
    both: dict[str, str] = {}
    joins: dict[str, str] = {}
    hint = select.args.get("hint")
    for call in hint.expressions if hint is not None else ():
        name = call.name.upper()
        if name not in (*_STATE, *_BATCH_ONLY):
            raise _unknown(call, (*_STATE, *_BATCH_ONLY))
        if name == "LOOKUP":
            check_lookup_hint(call, _pairs(call), _known(scope))
        if name in _STATE:
            pairs = _pairs(call)
            _check(call, pairs, scope)
            (both if name == "STATE_TTL" else joins).update(pairs)
    alone = next(iter(both.values()), None) if len(scope.relations) == 1 else None
    return StateHints(both | joins, alone)


def _pairs(call: exp.Expr) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for pair in call.expressions:
        if not isinstance(pair, exp.EQ):
            raise _bad(call, f"'{pair.name}' of hint {call.name} is not 'key' = 'value'")
        pairs[_placed(pair.this, call)] = _placed(pair.expression, call)
    if not pairs:
        raise _bad(call, f"hint {call.name} is empty")
    return pairs


def _placed(part: exp.Expr, call: exp.Expr) -> str:
    found = position(part) or position(call)
    return part.name if found is None else Placed(part.name, found)


def _check(call: exp.Expr, pairs: dict[str, str], scope: Scope) -> None:
    known = _known(scope)
    for pair in call.expressions:
        key = pair.this.name
        if key not in known:
            raise UserError(
                "UNKNOWN_HINT_TABLE",
                f"hint {call.name} names '{key}', which is no table, view or alias of this query",
                hint=nearest(key, known) + " Where there is an alias, use the alias.",
                position=position(pair) or position(call),
            )
        try:
            parse_duration(pairs[key])
        except UserError as error:
            error.at(position(pair.expression) or position(call))
            raise


def _known(scope: Scope) -> list[str]:
    """What a hint may name."""
    return [r.path[-1] for r in scope.relations if r.path and r.hintable]


def _bad(call: exp.Expr, message: str) -> UserError:
    return UserError(
        "BAD_HINT",
        message,
        hint=f"Write {call.name}('name' = 'value').",
        position=position(call),
    )


def _unknown(call: exp.Expr, known: tuple[str, ...]) -> UserError:
    return UserError(
        "UNKNOWN_HINT",
        f"there is no hint '{call.name}' here",
        hint=nearest(call.name, known),
        position=position(call),
    )
