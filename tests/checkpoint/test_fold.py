"""Deltas one after the other give the rows that count."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from saved import delta, table

from sameriver.checkpoint.fold import merge, read_part, read_table, write_part
from sameriver.state.handle import Delta

Steps = list[tuple[dict[int, int], set[int], bool]]
STEPS = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 9), st.integers(0, 99), max_size=5),
        st.sets(st.integers(0, 9), max_size=4),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def deltas(
    steps: Steps,
) -> tuple[list[Delta], dict[int, int]]:
    """Deltas, and what they should add up to."""
    known: dict[int, int] = {}
    made = []
    for number, (rows, gone, whole) in enumerate(steps):
        whole = whole or number == 0
        known = {} if whole else {i: v for i, v in known.items() if i not in gone}
        known.update(rows)
        left = () if whole else tuple(sorted(gone - set(rows)))
        made.append(delta(rows, left, whole=whole))
    return made, known


@given(STEPS, st.data())
@settings(deadline=None)
def test_neighbours_may_be_merged_in_any_order(steps: Steps, data: st.DataObject) -> None:
    parts, known = deltas(steps)
    while len(parts) > 1:
        at = data.draw(st.integers(0, len(parts) - 2))
        parts[at : at + 2] = [merge(parts[at], parts[at + 1])]
    (whole,) = parts
    assert whole.whole
    assert dict(whole.rows.sort("k").iter_rows()) == dict(sorted(known.items()))
    assert whole.ids.tolist() == whole.rows["k"].to_list()


@given(STEPS, STEPS)
@settings(max_examples=20, deadline=None)
def test_tables_come_back_from_files(
    first: Steps,
    second: Steps,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        parts, expected = [], []
        for shard, steps in enumerate((first, second)):
            made, known = deltas(steps)
            expected += sorted(known.items())
            for number, one in enumerate(made):
                parts.append(write_part(Path(name), f"{shard}-{number}", one, shard, below=""))
        assert read_table(Path(name), table(*parts)).rows() == expected


def test_rows_of_one_id_keep_their_order(tmp_path: Path) -> None:
    base = Delta(
        rows=pl.DataFrame({"k": [1, 1, 2, 2], "v": [4, 3, 2, 1]}),
        ids=np.array([7, 7, 5, 5]),
        gone=np.zeros(0, np.int64),
        whole=True,
    )
    more = Delta(
        rows=pl.DataFrame({"k": [3, 3, 2], "v": [9, 8, 7]}),
        ids=np.array([6, 6, 5]),
        gone=np.zeros(0, np.int64),
        whole=False,
    )
    parts = [write_part(tmp_path, f"{i}", d, 0, below="") for i, d in enumerate((base, more))]
    found = read_table(tmp_path, table(*parts)).rows()
    assert found == [(2, 7), (3, 9), (3, 8), (1, 4), (1, 3)]


def test_ids_stand_beside_a_column_of_the_same_name(tmp_path: Path) -> None:
    rows = pl.DataFrame({"$id": ["a", "b"]})
    one = Delta(rows=rows, ids=np.array([3, 4]), gone=np.zeros(0, np.int64), whole=True)
    back = read_part(tmp_path, write_part(tmp_path, "x", one, 0, below=""))
    assert back.rows.equals(rows)
    assert back.ids.tolist() == [3, 4]
