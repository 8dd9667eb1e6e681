from __future__ import annotations

import polars as pl
import pytest
from connector_tables import context, drain, positions, sink, source, symbols

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
