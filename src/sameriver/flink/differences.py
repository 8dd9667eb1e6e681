"""How the meanings of two states differ, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sameriver.flink.meaning import StateNode
from sameriver.flink.parts import Item
from sameriver.flink.wording import worded


def difference_sentences(old: StateNode, new: StateNode) -> Iterator[str]:
    """A sentence for each difference, and what Flink makes of them."""
    if old.kind != new.kind:
        yield f"{old.kind} becomes {new.kind}."
    if old.origin != new.origin:
        now, then = worded(new.origin), worded(old.origin)
        yield f"Its rows are those of `{now}`, they were those of `{then}`."
    nouns = dict.fromkeys(part.noun for part in (*old.parts, *new.parts))
    for noun in nouns:
        yield from _of_noun(noun, _items(old, noun), _items(new, noun))
    yield "Its state means something else now, so it is not restored into this operator."


def _items(node: StateNode, noun: str) -> list[Item]:
    return [item for part in node.parts if part.noun == noun for item in part.items]


def _of_noun(noun: str, old: Sequence[Item], new: Sequence[Item]) -> Iterator[str]:
    names_old, names_new = [one.meaning for one in old], [one.meaning for one in new]
    removed = [one for one in names_old if one not in names_new]
    added = [one for one in names_new if one not in names_old]
    for before, after in zip(removed, added, strict=False):
        yield f"The {noun} `{worded(before)}` becomes `{worded(after)}`."
    for one in removed[len(added) :]:
        yield f"The {noun} `{worded(one)}` is gone."
    for one in added[len(removed) :]:
        yield f"The {noun} `{worded(one)}` is new."
    kept_old = [one for one in names_old if one in names_new]
    kept_new = [one for one in names_new if one in names_old]
    if kept_old != kept_new:
        shown = ", ".join(f"`{worded(one)}`" for one in kept_new)
        yield f"The {noun}s {shown} come in another order: Flink finds them by their place."
    types = {one.meaning: one.type for one in old}
    for item in new:
        if item.type != types.get(item.meaning, item.type):
            now, then = worded(item.type), worded(types[item.meaning])
            yield f"The {noun} `{worded(item.meaning)}` is {now} now, it was {then}."
