"""Multisets, sequences and pools."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.state.multiset import Multiset
from sameriver.state.pool import Pool
from sameriver.state.sequence import Sequence

INTEGERS = pl.Schema({"v0": pl.Int64})
changes = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-4, 4), st.sampled_from([1, 1, -1])), max_size=30
)


def columns(
    rows: list[tuple[int, int, int]],
) -> tuple[np.ndarray, pl.DataFrame, np.ndarray]:
    slots, values, weights = (np.array(c, np.int64) for c in zip(*rows, strict=True))
    return slots, pl.DataFrame({"v0": values}), weights


@pytest.mark.parametrize("greatest", [False, True])
@settings(max_examples=60, deadline=None)
@given(st.lists(changes.filter(bool), min_size=1, max_size=4))
def test_extreme_of_a_multiset_after_each_change(
    greatest: bool, batches: list[list[tuple[int, int, int]]]
) -> None:
    values = Multiset(INTEGERS, greatest=greatest)
    values.reserve(3)
    counts: dict[int, Counter[int]] = {slot: Counter() for slot in range(3)}
    for rows in batches:
        words, present = values.track(*columns(rows))
        for i, (slot, value, weight) in enumerate(rows):
            counts[slot][value] += weight
            there = [v for v, count in counts[slot].items() if count > 0]
            assert (present[i] > 0) == bool(there)
            if there:
                assert words[i] == (max(there) if greatest else min(there))


@settings(max_examples=60, deadline=None)
@given(changes.filter(bool))
def test_a_multiset_tells_what_came_and_went(rows: list[tuple[int, int, int]]) -> None:
    values, counts = Multiset(INTEGERS), Counter[tuple[int, int]]()
    values.reserve(3)
    signs = values.add(*columns(rows))
    for sign, (slot, value, weight) in zip(signs, rows, strict=True):
        before = counts[slot, value] > 0
        counts[slot, value] += weight
        assert sign == int(counts[slot, value] > 0) - int(before)
    slots, frame, left = values.everything()
    found = dict(zip(zip(slots.tolist(), frame["v0"], strict=True), left.tolist(), strict=True))
    assert found == {key: count for key, count in counts.items() if count}


def test_a_cleared_slot_is_empty_and_its_room_comes_back() -> None:
    values = Multiset(pl.Schema({"v0": pl.String}))
    values.reserve(4)
    for start in range(0, 100_000, 10_000):
        slots = np.arange(10_000, dtype=np.int64) % 4
        words = pl.DataFrame({"v0": [str(start + i) for i in range(10_000)]})
        assert values.add(slots, words).sum() == 10_000
        values.clear(np.arange(3, dtype=np.int64))
        rows, _, _ = values.entries(np.arange(4, dtype=np.int64))
        assert set(rows.tolist()) == {3}
    assert len(values._lookup) < 60_000
    assert len(values.everything()[0]) == 25_000


@settings(max_examples=60, deadline=None)
@given(changes.filter(bool), st.booleans())
def test_a_sequence_keeps_arrival_order(rows: list[tuple[int, int, int]], last: bool) -> None:
    values = Sequence(INTEGERS, last=last)
    values.reserve(3)
    lists: dict[int, list[int]] = {slot: [] for slot in range(3)}
    owed = Counter[tuple[int, int]]()
    words, present = values.change(*columns(rows))
    for i, (slot, value, weight) in enumerate(rows):
        if weight < 0 and value in lists[slot]:
            lists[slot].remove(value)
        elif weight < 0:
            owed[slot, value] += 1
        elif owed[slot, value]:
            owed[slot, value] -= 1
        else:
            lists[slot].append(value)
        assert (present[i] > 0) == bool(lists[slot])
        if lists[slot]:
            assert words[i] == lists[slot][-1 if last else 0]
    values._rebuild()
    restored = Sequence(INTEGERS)
    restored.reserve(3)
    restored.load(*values.save(values.numbers())[1:])
    for kept in (values, restored):
        numbers, frame = kept.items(np.arange(3, dtype=np.int64))
        for slot in range(3):
            assert frame["v0"].filter(pl.Series(numbers == slot)).to_list() == lists[slot]


def test_a_sequence_reclaims_room() -> None:
    values = Sequence(INTEGERS)
    values.reserve(1)
    slots, rows = np.zeros(10_000, np.int64), pl.DataFrame({"v0": range(10_000)})
    for _ in range(5):
        values.change(slots, rows)
        values.change(slots, rows, np.full(10_000, -1))
        values.tidy()
    assert len(values._lookup) == 0


def test_a_pool_merges_its_chunks() -> None:
    pool = Pool(pl.Schema({"v": pl.String}))
    for i in range(100):
        assert pool.append(pl.DataFrame({"v": [str(i)]})) == i
    assert len(pool._chunks) < 8
    assert pool.gather(np.array([99, 0, 50]))["v"].to_list() == ["99", "0", "50"]
    pool.keep(np.array([7, 3]))
    assert pool.gather(np.array([1, 0]))["v"].to_list() == ["3", "7"]
