"""Which operator of the new plan goes on with the state of which of the old one."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.dataclass import dataclass
from sameriver.compat.description import JobDescription, Operator, Sink

_KINDRED = (
    {"GroupAggregate", "WindowAggregate"},
    {"Deduplicate", "TopN"},
    {"OverAggregate", "OverSorted"},
    {"Join", "IntervalJoin", "TemporalJoin", "WindowJoin"},
)
"""Kinds that an edit turns into each other; their state is never the same."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs of operators by id, new to old, and of sinks by number, new to old."""

    operators: dict[int, int]
    sinks: dict[int, int]


def match(old: JobDescription, new: JobDescription) -> Matching:
    """The best pairs first, each operator once: of the same kind, with the most in common."""
    scored = sorted(
        (
            (_score(one, other, old, new), one.id, other.id)
            for one in old.operators
            for other in new.operators
            if _kindred(one.kind, other.kind)
        ),
        key=lambda found: (tuple(-part for part in found[0]), found[1], found[2]),
    )
    pairs: dict[int, int] = {}
    for _, one, other in scored:
        if one not in pairs.values() and other not in pairs:
            pairs[other] = one
    return Matching(pairs, _sinks(old, new, pairs))


def _kindred(one: str, other: str) -> bool:
    return one == other or any({one, other} <= kinds for kinds in _KINDRED)


def _score(
    one: Operator, other: Operator, old: JobDescription, new: JobDescription
) -> tuple[float, ...]:
    """How much two operators have in common, most telling first."""
    sinks = {old.sinks[n].table for n in one.sinks} & {new.sinks[n].table for n in other.sinks}
    return (
        one.kind == other.kind,
        _same_sources(one, other),
        _shared(one, other),
        len(sinks - {""}) > 0,
        one.path == other.path and _texts(one) == _texts(other),
        -abs(one.id - other.id),
    )


def _same_sources(one: Operator, other: Operator) -> float:
    """The share of the tables of both that both read."""
    left, right = (
        {source.partition(":")[0] for source in operator.sources} for operator in (one, other)
    )
    return len(left & right) / max(1, len(left | right))


def _shared(one: Operator, other: Operator) -> float:
    """The share of the traits and columns of both that are in both."""
    left, right = _items(one), _items(other)
    return len(left & right) / max(1, len(left | right))


def _items(operator: Operator) -> set[tuple[str, ...]]:
    items = {(t.name, *item.identity) for t in operator.traits for item in t.items}
    return items | {("path", step) for step in operator.path} | _texts(operator)


def _texts(operator: Operator) -> set[tuple[str, ...]]:
    return {("filter", item.meaning) for item in operator.filters}


def _sinks(old: JobDescription, new: JobDescription, pairs: dict[int, int]) -> dict[int, int]:
    """Sinks of one name, then those that matched operators feed, then those that get the same, then
    those of the same tables: a named sink of state and one without any are never the same."""
    found: dict[int, int] = {}

    def fed(number: int, side: JobDescription) -> set[int]:
        return {operator.id for operator in side.operators if number in operator.sinks}

    def named(one: int, other: int) -> bool:
        return bool(old.sinks[one].table) and old.sinks[one].table == new.sinks[other].table

    def sharing(one: int, other: int) -> bool:
        return bool({pairs.get(id) for id in fed(other, new)} & fed(one, old))

    def equal(one: int, other: int) -> bool:
        was, now = old.sinks[one], new.sinks[other]
        return (was.sources, was.path, was.meanings) == (now.sources, now.path, now.meanings)

    def reading(one: int, other: int) -> bool:
        was, now = old.sinks[one], new.sinks[other]
        kindred = not (was.table and now.table) or bool(fed(one, old)) == bool(fed(other, new))
        return kindred and bool(_tables(was) & _tables(now))

    for alike in (named, sharing, equal, reading):
        for other in range(len(new.sinks)):
            free = (one for one in range(len(old.sinks)) if one not in found.values())
            partner = next((one for one in free if alike(one, other)), None)
            if other not in found and partner is not None:
                found[other] = partner
    return found


def _tables(sink: Sink) -> set[str]:
    return {source.partition(":")[0] for source in sink.sources}


def gone_with_sinks(operator: Operator, matching: Matching) -> bool:
    """Whether all sinks that an old operator fed are gone."""
    return not set(operator.sinks) & set(matching.sinks.values())


def unmatched(old: JobDescription, matching: Matching) -> Sequence[Operator]:
    """The operators of the old plan that no new one goes on with."""
    return [one for one in old.operators if one.id not in matching.operators.values()]
