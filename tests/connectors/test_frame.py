from __future__ import annotations

from itertools import accumulate

import polars as pl
import pytest
from connector_tables import context, drain, positions, sink, source, symbols
from hypothesis import given
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.changes import KINDS, Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.connectors.frame import register_frames, release, written
from sameriver.connectors.registry import changelog

ONE = Schema.of([("a", types.INT)])


def options(number: str, **more: str) -> dict[str, str]:
    return {"connector": "frame", "frame": number, **more}


def test_a_frame_is_read_again_and_again() -> None:
    number = register_frames(pl.DataFrame({"b": ["x", "y"], "a": [1, 2]}))
    for _ in range(2):
        frame = drain(source(context(ONE, options(number)))).rows
        assert frame.schema == ONE.to_polars()
        assert frame.rows() == [(1,), (2,)]
    release(number)
    with pytest.raises(UserError, match="isn't registered"):
        source(context(ONE, options(number)))


def test_an_iterator_is_read_lazily() -> None:
    taken: list[int] = []

    def frames() -> list[pl.DataFrame]:
        taken.append(1)
        return [pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [3]})]

    table = source(context(ONE, options(register_frames(frames))))
    assert drain(table, rows=1).rows.rows() == [(1,), (2,), (3,)]
    assert taken == [1]


def test_seek_goes_on_at_the_same_row() -> None:
    parts = [pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [3, 4, 5]})]
    number = register_frames(lambda: parts)
    for position, done in positions(source(context(ONE, options(number))), 1):
        again = source(context(ONE, options(number)))
        again.seek(position)
        left = drain(again).rows
        assert left.rows() == [(1,), (2,), (3,), (4,), (5,)][done:]


def test_an_iterator_has_no_place_to_go_on_from() -> None:
    number = register_frames(lambda: [pl.DataFrame({"a": [1, 2]})], replayable=False)
    table = source(context(ONE, options(number)))
    table.seek({"row": 0})
    with pytest.raises(UserError, match="NOT_REPLAYABLE"):
        table.seek({"row": 1})


def test_seek_refuses_frames_that_are_shorter() -> None:
    number = register_frames(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(ExternalError, match=r"FRAME_CHANGED.*1 rows less"):
        source(context(ONE, options(number))).seek({"row": 3})


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    steps=st.lists(st.integers(1, 7), min_size=1, max_size=4),
)
def test_rows_before_and_after_any_position_are_all_rows(
    sizes: list[int], steps: list[int]
) -> None:
    starts = accumulate(sizes, initial=0)
    parts = [pl.DataFrame({"a": range(s, s + n)}) for s, n in zip(starts, sizes, strict=False)]
    table = context(ONE, options(register_frames(lambda: parts)))
    first, before = source(table), 0
    for turn in range(1 << 10):
        batch = first.poll(steps[turn % len(steps)])
        before += 0 if batch.changes is None else len(batch.changes)
        second = source(table)
        second.seek(batch.position)
        rows = drain(second, rows=3).rows
        after = rows["a"].to_list() if rows.width else []
        assert after == list(range(before, sum(sizes)))
        if batch.finished:
            break


def test_a_changelog_column() -> None:
    frame = pl.DataFrame({"$kind": ["+I", "-U", "+U", "-D"], "a": [1, 1, 2, 2]})
    table = options(register_frames(frame), **{"changelog-mode": "all"})
    assert symbols(drain(source(context(ONE, table)))) == ["+I", "-U", "+U", "-D"]
    assert len(changelog("frame", table)) == 4
    assert len(changelog("frame", options("1"))) == 1


def test_a_column_that_lacks() -> None:
    number = register_frames(pl.DataFrame({"b": [1]}))
    with pytest.raises(ExternalError, match="doesn't have the table's columns"):
        drain(source(context(ONE, options(number))))


def test_what_a_sink_was_given() -> None:
    target = sink(context(ONE, options("results")))
    kinds = pl.Series([3], dtype=KINDS)
    target.write(Changes(pl.DataFrame({"x": [7]}), kinds))
    (batch,) = written("results")
    assert batch.rows.rows(named=True) == [{"a": 7}]
    assert symbols(batch) == ["-D"]
    release("results")
    assert written("results") == []
