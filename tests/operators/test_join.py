"""Regular joins against a plain model, on random changes, batches and restarts."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from grouping import Change, Row
from hypothesis import given, settings
from hypothesis import strategies as st
from joining import ADDS, Joining, Model, join_node

from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, BOOLEAN, INT, STRING
from sameriver.plan.expressions import Call, Column
from sameriver.plan.logical import JoinKind

LEFT = Schema.of([("a", BIGINT), ("x", INT), ("s", STRING)])
RIGHT = Schema.of([("b", BIGINT), ("y", INT), ("t", STRING)])
LESS = Call("<", (Column("x", INT), Column("y", INT)), BOOLEAN)

KEYS: dict[str, list[tuple[str, str, bool]]] = {
    "one": [("a", "b", False)],
    "null-safe": [("a", "b", True)],
    "string": [("s", "t", False)],
    "two": [("a", "b", False), ("s", "t", True)],
    "none": [],
}


def meets(keys: list[tuple[str, str, bool]], conditional: bool, left: Row, right: Row) -> bool:
    one, other = (
        dict(zip(LEFT.names, left, strict=True)),
        dict(zip(RIGHT.names, right, strict=True)),
    )
    for a, b, safe in keys:
        if one[a] != other[b] or (one[a] is None and not safe):
            return False
    if not conditional:
        return True
    x, y = one["x"], other["y"]
    return isinstance(x, int) and isinstance(y, int) and x < y


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, list[Change]]]:
    """Batches of a side each; a row is taken back only while it is there."""
    row = st.tuples(
        st.sampled_from([None, 1, 2]), st.sampled_from([None, 0, 1]), st.sampled_from([None, "p"])
    )
    live: tuple[list[Row], list[Row]] = ([], [])
    batches = []
    for _ in range(draw(st.integers(1, 6))):
        port = draw(st.integers(0, 1))
        changes: list[Change] = []
        for _ in range(draw(st.integers(1, 5))):
            takes_back: bool = draw(st.booleans())
            if live[port] and takes_back:
                gone = live[port].pop(draw(st.integers(0, len(live[port]) - 1)))
                changes.append((draw(st.sampled_from(["-D", "-U"])), gone))
            else:
                live[port].append(draw(row))
                changes.append((draw(st.sampled_from(ADDS)), live[port][-1]))
        batches.append((port, changes))
    return batches


@pytest.mark.parametrize("kind", list(JoinKind))
@pytest.mark.parametrize("keys", list(KEYS))
@settings(max_examples=12, deadline=None)
@given(history=histories(), conditional=st.booleans(), restart=st.integers(0, 5))
def test_changes_are_those_of_flink_row_by_row(
    kind: JoinKind,
    keys: str,
    history: list[tuple[int, list[Change]]],
    conditional: bool,
    restart: int,
) -> None:
    pairs = KEYS[keys]
    condition = LESS if conditional else None
    joining = Joining(join_node(LEFT, RIGHT, kind, pairs, condition=condition))
    model = Model(kind, lambda a, b: meets(pairs, conditional, a, b), (3, 3))
    for number, (port, changes) in enumerate(history):
        if number == restart:
            joining.restart()
        assert joining.feed(port, changes) == model.feed(port, changes)


@settings(max_examples=40, deadline=None)
@given(history=histories(), conditional=st.booleans())
def test_null_meets_all_rows_of_not_in(
    history: list[tuple[int, list[Change]]], conditional: bool
) -> None:
    condition = LESS if conditional else None
    plan = join_node(LEFT, RIGHT, JoinKind.ANTI, KEYS["one"], condition=condition, null_aware=True)

    def unknown(left: Row, right: Row) -> bool:
        equal = left[0] is None or right[0] is None or left[0] == right[0]
        return equal and meets([], conditional, left, right)

    joining, model = Joining(plan), Model(JoinKind.ANTI, unknown, (3, 3))
    for port, changes in history:
        found = joining.feed(port, changes)
        wanted = model.feed(port, changes)
        assert Counter(found) == Counter(wanted)
        joining.restart()


@pytest.mark.parametrize("kind", list(JoinKind))
def test_rows_that_only_come_need_no_retraction(kind: JoinKind) -> None:
    joining = Joining(join_node(LEFT, RIGHT, kind, KEYS["one"], updates=False))
    model = Model(kind, lambda a, b: meets(KEYS["one"], False, a, b), (3, 3))
    rows: list[Change] = [("+I", (key, 0, "p")) for key in (1, 2, 1, None, 3)]
    for port in (0, 1, 0, 1):
        assert joining.feed(port, rows) == model.feed(port, rows)


def test_a_row_replaces_the_one_of_its_upsert_key() -> None:
    keys = (("x",), ())
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.INNER, KEYS["one"], upsert_keys=keys))
    joining.feed(0, [("+I", (1, 0, "first")), ("+I", (1, 1, "other")), ("+U", (1, 0, "second"))])
    joining.restart()
    joining.feed(0, [("+U", (1, 0, "third")), ("-D", (1, 1, None))])
    assert joining.feed(1, [("+I", (1, 0, "p"))]) == [("+I", (1, 0, "third", 1, 0, "p"))]
    assert [c.name for c in joining.plan.state()[0].key] == ["a", "x"]


def test_many_pairs_come_in_parts() -> None:
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.LEFT, KEYS["one"], updates=False))
    rows: list[Change] = [("+I", (1, 0, "p"))] * 1500
    assert len(joining.feed(0, rows)) == 1500
    out = Counter(kind for kind, _ in joining.feed(1, rows))
    assert out == {"-D": 1500, "+I": 1500 * 1500}


def test_each_side_expires_by_itself() -> None:
    ttl = (timedelta(seconds=2), None)
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.LEFT, KEYS["one"], ttl=ttl))
    assert joining.feed(0, [("+I", (1, 0, "old"))]) == [("+I", (1, 0, "old", None, None, None))]
    joining.clock.set(2001)
    assert joining.feed(1, [("+I", (1, 0, "p"))]) == []
    assert joining.feed(0, [("+I", (1, 0, "new"))]) == [("+I", (1, 0, "new", 1, 0, "p"))]


def test_a_counted_match_is_a_write_and_keeps_the_row() -> None:
    ttl = (timedelta(seconds=2), None)
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.LEFT, KEYS["one"], ttl=ttl))
    joining.feed(0, [("+I", (1, 0, "l"))])
    joining.clock.set(1500)
    joining.feed(1, [("+I", (1, 0, "p"))])
    joining.clock.set(3000)
    assert joining.feed(1, [("+I", (1, 0, "q"))]) == [("+I", (1, 0, "l", 1, 0, "q"))]


def test_expired_rows_stay_gone_after_a_restart() -> None:
    ttl = (timedelta(seconds=2), timedelta(seconds=2))
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.INNER, KEYS["one"], ttl=ttl))
    joining.feed(0, [("+I", (1, 0, "l"))])
    joining.clock.set(1000)
    joining.restart()
    joining.clock.set(2001)
    assert joining.feed(1, [("+I", (1, 0, "p"))]) == []


@pytest.mark.parametrize("taken_back", [True, False])
def test_state_of_a_long_run_stops_growing(taken_back: bool) -> None:
    ttl = (None, None) if taken_back else (timedelta(seconds=2), timedelta(seconds=2))
    joining = Joining(join_node(LEFT, RIGHT, JoinKind.INNER, KEYS["one"], ttl=ttl))
    left = joining.operator._sides[0]
    sizes = []
    for step in range(60):
        rows = [(step * 1000 + i, 0, "p") for i in range(1000)]
        joining.feed(0, [("+I", row) for row in rows])
        if taken_back:
            joining.feed(0, [("-D", row) for row in rows])
        joining.clock.set(1 + step * 1000)
        sizes.append((left._pool.height, len(joining.operator._index)))
    assert max(sizes[30:]) <= max(sizes[:30])
    assert joining.stored() <= 2000
