"""Upserts from a changelog."""

from __future__ import annotations

from stateless import SCAN, SCHEMA, changes, context

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.operators.drop_update_before import DropUpdateBeforeOperator
from sameriver.plan.physical.drop_update_before import DropUpdateBefore


def upserts(given: Changes) -> list[object]:
    node = DropUpdateBefore(schema=SCHEMA, input=SCAN, keys=("k",))
    out: list[object] = []
    for event in DropUpdateBeforeOperator(node, context()).process(0, given):
        assert isinstance(event, Changes)
        kinds = [SYMBOLS[kind] for kind in event.kinds_or_inserts()]
        out += [(kind, *row[:2]) for kind, row in zip(kinds, event.rows.rows(), strict=True)]
    return out


def test_an_update_of_a_key_is_an_upsert() -> None:
    given = changes(("a", 1, 0), (None, 1, 0), (None, 2, 0), kinds=[0, 1, 2])
    assert upserts(given) == [("+I", "a", 1), ("+U", None, 2)]


def test_updates_of_several_keys_are_upserts() -> None:
    given = changes(("a", 1, 0), (None, 1, 0), ("a", 2, 0), (None, 2, 0), kinds=[1, 1, 2, 0])
    assert upserts(given) == [("+U", "a", 2), ("+I", None, 2)]


def test_half_an_update_deletes() -> None:
    given = changes(("a", 1, 0), ("b", 1, 0), ("b", 2, 0), ("c", 3, 0), kinds=[1, 1, 2, 1])
    assert upserts(given) == [("-D", "a", 1), ("+U", "b", 2), ("-D", "c", 3)]


def test_an_update_of_the_key_deletes_the_old_one() -> None:
    given = changes(("a", 1, 0), ("b", 1, 0), kinds=[1, 2])
    assert upserts(given) == [("-D", "a", 1), ("+U", "b", 1)]


def test_watermarks_of_dropped_rows_stay() -> None:
    given = changes(("a", 1, 0), ("a", 2, 0), kinds=[1, 2], watermarks=[5, 5])
    node = DropUpdateBefore(schema=SCHEMA, input=SCAN, keys=("k",))
    events = list(DropUpdateBeforeOperator(node, context()).process(0, given))
    assert len(events) == 2
