"""One operator of the old plan against one of the new plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Role
from sameriver.compat.description import Item, Operator
from sameriver.compat.differences import Difference, difference, reasons
from sameriver.compat.report import Reason, Verdict
from sameriver.compat.scopes import filter_reasons, path_reasons, source_reasons
from sameriver.compat.strictness import How, Strictness, strictness

CALLS = ("aggregate", "distinct aggregate")
BOOKKEEPING = ("last_access", "LAST_ACCESS", "COUNT(*)")
"""Meanings of columns that operators keep for themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How to compare.

    Attributes:
        ignore_filter, ignore_sink: the options of these names.
        trusted: functions in Python whose change doesn't count.
    """

    ignore_filter: bool = False
    ignore_sink: bool = True
    trusted: frozenset[str] = field(default_factory=frozenset)


def operator_reasons(
    old: Operator, new: Operator, rules: Rules, upstream: Sequence[str]
) -> tuple[Reason, ...]:
    """All differences of two operators that were matched.

    ``upstream``: the rules for which operators below are incompatible.
    """
    if old.kind != new.kind:
        return (_other_kind(old, new),)
    strict = strictness(old.kind)
    sources = tuple(source_reasons(old, new))
    if sources:
        return sources
    found = [
        *_trait_reasons(old, new, strict),
        *filter_reasons(old, new, strict, ignored=rules.ignore_filter),
    ]
    for more in (
        path_reasons(old, new, strict, upstream),
        _state_reasons(old, new, strict),
        _function_reasons(old, new, rules.trusted),
    ):
        if all(reason.verdict is not Verdict.INCOMPATIBLE for reason in found):
            found += more
    return tuple(found)


def _other_kind(old: Operator, new: Operator) -> Reason:
    rule = next(
        (strictness(o.kind).gone for o in (old, new) if strictness(o.kind).gone != "LIM-06"),
        "TOPN-10" if "TopN" in (old.kind, new.kind) else strictness(old.kind).path,
    )
    return Reason(
        rule=rule,
        message=f"{old.kind} `{old.label}` becomes {new.kind} `{new.label}`: other state",
        verdict=Verdict.INCOMPATIBLE,
        old=old.position,
        new=new.position,
    )


def _trait_reasons(old: Operator, new: Operator, strict: Strictness) -> Iterator[Reason]:
    for name, hold in strict.holds.items():
        if name in CALLS:
            continue
        found = difference(old.trait(name), new.trait(name), replaces=hold.replaces)
        told = tuple(reasons(hold, found))
        yield from told
        if told and hold.decisive:
            return
    if CALLS[0] in strict.holds:
        yield from _call_reasons(old, new, strict)


def _call_reasons(old: Operator, new: Operator, strict: Strictness) -> Iterator[Reason]:
    """Differences of the aggregates; one that drops or takes on DISTINCT is one difference."""
    plain, distinct = (
        difference(old.trait(name), new.trait(name), replaces=False) for name in CALLS
    )
    _across(plain.removed, distinct.added, distinct)
    _across(distinct.removed, plain.added, distinct)
    hold = strict.holds[CALLS[1]]
    if hold.how is How.SEQUENCE:
        distinct.replace_rest()
    yield from reasons(hold, distinct)
    left = [*plain.kept, *distinct.kept]
    rule = _survivor(old, new, strict, anything=bool(left))
    if rule:
        yield _nothing_left(old, new, rule)
    else:
        hold = strict.holds[CALLS[0]]
        beside = hold.beside if distinct.kept and not plain.removed else ""
        yield from reasons(replace(hold, added=beside or hold.added), plain)


def _across(removed: list[Item], added: list[Item], into: Difference) -> None:
    for one in list(removed):
        other = next((o for o in added if o.like[:1] == one.like[:1]), None)
        if other is not None:
            into.replaced.append((one, other, 1))
            removed.remove(one)
            added.remove(other)


def _survivor(old: Operator, new: Operator, strict: Strictness, *, anything: bool) -> str:
    """The rule that an aggregate must survive, where none does; else empty."""
    before, after = (any(o.trait(name) for name in CALLS) for o in (old, new))
    if anything or not (before or after):
        return ""
    both, none_after, none_before = strict.survivor
    return none_after if not after else none_before if not before else both


def _nothing_left(old: Operator, new: Operator, rule: str) -> Reason:
    def shown(operator: Operator) -> tuple[str, Item | None]:
        items = [item for name in CALLS for item in operator.trait(name)]
        return ", ".join(f"`{item.text}`" for item in items) or "none", next(iter(items), None)

    (before, one), (after, two) = shown(old), shown(new)
    return Reason(
        rule=rule,
        message=f"no aggregate goes on (before: {before}; now: {after}): nothing is left of the"
        " old state",
        verdict=Verdict.INCOMPATIBLE,
        old=old.position if one is None else one.position,
        new=new.position if two is None else two.position,
        outputs=tuple(dict.fromkeys(o for n in CALLS for i in new.trait(n) for o in i.outputs)),
    )


def _state_reasons(old: Operator, new: Operator, strict: Strictness) -> Iterator[Reason]:
    """What the traits don't tell: declared state that differs for no reason given so far."""
    before, after = _fixed(old, strict), _fixed(new, strict)
    if before == after:
        return
    texts = sorted(f"`{text}`" for _, text, _ in before ^ after)
    yield Reason(
        rule=strict.state,
        message=f"its state is kept otherwise: {', '.join(texts[:3])} is in one plan only",
        verdict=Verdict.INCOMPATIBLE,
        old=old.position,
        new=new.position,
    )


def _fixed(operator: Operator, strict: Strictness) -> set[tuple[str, str, str]]:
    """The columns of state that may not change, and how their rows are shaped."""
    free = {
        text
        for name in CALLS
        if name in strict.holds
        for item in operator.trait(name)
        for text in (*item.columns, f"EMITTED({item.meaning})")
    }
    framed = operator.kind == "OverAggregate"
    columns = {
        (column.role, column.meaning, column.type)
        for table in operator.tables
        for column in table.columns
        if column.meaning not in free and column.meaning not in BOOKKEEPING
        if not (framed and table.name == "frame" and column.role != Role.KEY.value)
    }
    return columns | {("path", step, "") for table in operator.tables for step in table.path}


def _function_reasons(old: Operator, new: Operator, trusted: frozenset[str]) -> Iterator[Reason]:
    digests: Mapping[str, str] = old.functions
    for name, digest in new.functions.items():
        known = digests.get(name)
        if known is None or known == digest or name.upper() in trusted:
            continue
        yield Reason(
            rule="LIM-02",
            message=f"the code of function `{name}`, which feeds its state, has changed: whether"
            " stored values are still right can't be told",
            verdict=Verdict.UNKNOWN,
            old=old.position,
            new=new.position,
        )
