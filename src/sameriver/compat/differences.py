"""How the items of a trait of two plans differ, as reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sameriver.compat.description import Item
from sameriver.compat.report import Reason, Verdict
from sameriver.compat.strictness import Hold, How

RETYPED = "SRC-07"
"""Rule of a value that is held under another type."""

_UNLIKE = 99
"""Level of items that have nothing in common."""

_VERDICTS = {
    How.SET: Verdict.INCOMPATIBLE,
    How.SEQUENCE: Verdict.INCOMPATIBLE,
    How.FREE: Verdict.PARTIAL,
    How.DERIVED: Verdict.FULL,
    How.SHOWN: Verdict.FULL,
}


@dataclass(slots=True)
class Difference:
    """Items that are in both plans, in one, or take each other's place (with how alike).

    ``places``: of the items in the new plan.
    """

    kept: list[tuple[Item, Item]] = field(default_factory=list)
    replaced: list[tuple[Item, Item, int]] = field(default_factory=list)
    removed: list[Item] = field(default_factory=list)
    added: list[Item] = field(default_factory=list)
    places: dict[Item, int] = field(default_factory=dict)

    @property
    def moved(self) -> list[tuple[Item, Item]]:
        """Items of both plans that come in another order."""
        news = [new for _, new in self.kept]
        order = sorted(news, key=self.places.__getitem__)
        return [pair for pair, at in zip(self.kept, order, strict=True) if pair[1] is not at]

    def replace(self, old: Item, new: Item, level: int) -> None:
        """One takes the place of the other."""
        self.replaced.append((old, new, level))
        _drop(self.removed, old)
        _drop(self.added, new)

    def replace_rest(self) -> None:
        """Those that are left take each other's places, in order."""
        for old, new in list(zip(self.removed, self.added, strict=False)):
            self.replace(old, new, _UNLIKE)


def difference(old: Sequence[Item], new: Sequence[Item], *, replaces: bool) -> Difference:
    """Pairs the items of two plans: the same ones, then the most alike.

    ``replaces``: those that are left take each other's places, in order.
    """
    found = Difference(removed=list(old), added=list(new))
    found.places = {item: place for place, item in reversed(list(enumerate(new)))}
    for item in old:
        same = next((other for other in found.added if other.identity == item.identity), None)
        if same is not None:
            found.kept.append((item, same))
            _drop(found.removed, item)
            _drop(found.added, same)
    deepest = max((len(item.like) for item in (*old, *new)), default=0)
    for level in range(-1, deepest):
        _pair(found, level)
    if replaces:
        found.replace_rest()
    return found


def _pair(found: Difference, level: int) -> None:
    """Pairs items that are alike at a level; at -1 those of one meaning and two types."""

    def key(item: Item) -> str | None:
        if level < 0:
            return item.meaning
        return item.like[level] if level < len(item.like) else None

    for item in list(found.removed):
        other = next((o for o in found.added if key(o) == key(item) is not None), None)
        if other is not None:
            found.replace(item, other, level)


def _drop(items: list[Item], item: Item) -> None:
    """Removes this very item, not an equal one."""
    place = next(place for place, one in enumerate(items) if one is item)
    del items[place]


def reasons(hold: Hold, found: Difference) -> Iterator[Reason]:
    """A reason for each difference."""
    for old, new, level in found.replaced if any(hold.changed) else ():
        yield _replaced(hold, old, new, level)
    for new in found.added if hold.added else ():
        yield _added(hold, new, hold.exchanged if found.removed and hold.exchanged else hold.added)
    for old in found.removed if hold.removed else ():
        yield _removed(hold, old)
    if found.moved and hold.moved:
        yield _moved(hold, found.moved)


def _replaced(hold: Hold, old: Item, new: Item, level: int) -> Reason:
    rule = hold.changed[min(max(level, 0), len(hold.changed) - 1)]
    if level < 0:
        rule = RETYPED if hold.how in (How.SET, How.SEQUENCE) else hold.changed[-1]
        change = _retyped(old, new)
    elif old.text == new.text:
        change = f"`{new.text}` is computed otherwise"
    else:
        change = f"{_named(hold, old)} becomes `{new.text}`"
    return Reason(
        rule=rule,
        message=f"{change}: {_ending(hold)}",
        verdict=_VERDICTS[hold.how],
        old=old.position,
        new=new.position,
        outputs=new.outputs,
    )


def _retyped(old: Item, new: Item) -> str:
    if old.type != new.type:
        return f"`{new.text}` is {new.type} now, it was {old.type}"
    columns = ", ".join(f"`{text}`" for text in new.reads if text not in old.reads)
    return f"`{new.text}` reads {columns}, whose type was another"


def _added(hold: Hold, new: Item, rule: str) -> Reason:
    return Reason(
        rule=rule,
        message=f"{_named(hold, new)} is new: {_ending(hold)}",
        verdict=_VERDICTS[hold.how],
        new=new.position,
        outputs=new.outputs,
    )


def _removed(hold: Hold, old: Item) -> Reason:
    free = hold.how is How.FREE
    ending = "its state is dropped" if free else _ending(hold)
    return Reason(
        rule=hold.removed,
        message=f"{_named(hold, old)} is gone: {ending}",
        verdict=Verdict.FULL if free else _VERDICTS[hold.how],
        old=old.position,
    )


def _moved(hold: Hold, pairs: Sequence[tuple[Item, Item]]) -> Reason:
    strict = hold.how is How.SEQUENCE
    names = ", ".join(f"`{new.text}`" for _, new in pairs)
    ending = hold.why if strict else "their order makes no difference to state"
    return Reason(
        rule=hold.moved,
        message=f"the {hold.noun}s {names} come in another order: {ending}",
        verdict=Verdict.INCOMPATIBLE if strict else Verdict.FULL,
        old=pairs[0][0].position,
        new=pairs[0][1].position,
    )


def _named(hold: Hold, item: Item) -> str:
    """An aggregate speaks for itself."""
    return f"`{item.text}`" if hold.how is How.FREE else f"{hold.noun} `{item.text}`"


def _ending(hold: Hold) -> str:
    match hold.how:
        case How.FREE:
            return "starts empty at the restart"
        case How.DERIVED:
            return "it is computed from the rows that are stored"
        case How.SHOWN:
            return "it is in no state"
    return hold.why
