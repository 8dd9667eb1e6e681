"""Sets of values by slot, against Python's sets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.state.value_set import ValueSet

SLOTS = 4
ADDS = st.lists(st.tuples(st.integers(0, SLOTS - 1), st.integers(-3, 5)), max_size=20)
STEPS = st.lists(st.one_of(ADDS, st.sets(st.integers(0, SLOTS - 1), min_size=1)), max_size=12)


def value_set(dtype: pl.DataType | type[pl.DataType] = pl.Int64, slots: int = SLOTS) -> ValueSet:
    values = ValueSet(pl.Schema({"v0": dtype}))
    values.reserve(slots)
    return values


def frame(values: list[int] | np.ndarray, dtype: pl.DataType | type[pl.DataType]) -> pl.DataFrame:
    return pl.Series("v0", values, dtype=pl.Int64).cast(dtype).to_frame()


@pytest.mark.parametrize("dtype", [pl.Int64, pl.String])
@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_tells_new_values_and_lists_them_in_order(
    dtype: type[pl.DataType], steps: list[list[tuple[int, int]] | set[int]]
) -> None:
    values = value_set(dtype)
    model: dict[int, list[int]] = {slot: [] for slot in range(SLOTS)}
    for step in steps:
        if isinstance(step, set):
            values.clear(np.array(sorted(step), np.int64))
            model.update({slot: [] for slot in step})
            continue
        expected = []
        for slot, value in step:
            expected.append(int(value not in model[slot]))
            model[slot] += [value] if value not in model[slot] else []
        slots = np.array([slot for slot, _ in step], np.int64)
        new = values.add(slots, frame([value for _, value in step], dtype))
        assert new.tolist() == expected
        rows, found, _ = values.entries(np.arange(SLOTS))
        pairs = [(slot, value) for slot in model for value in model[slot]]
        listed = found["v0"].cast(pl.Int64).to_list()
        assert list(zip(rows.tolist(), listed, strict=True)) == pairs
        _, slots, found = values.save(values.numbers())
        everything = zip(slots.tolist(), found["v0"].cast(pl.Int64), strict=True)
        assert sorted(everything) == sorted(pairs)


def test_grows_within_a_batch() -> None:
    random = np.random.default_rng(3)
    slots = random.integers(0, 50, 60_000)
    numbers = random.integers(-(2**62), 2**62, 2_000)[random.integers(0, 2_000, 60_000)]
    values = value_set(slots=50)
    new = values.add(slots, frame(numbers, pl.Int64))
    first = pl.DataFrame({"s": slots, "v": numbers}).to_struct().is_first_distinct()
    assert new.astype(bool).tolist() == first.to_list()
    assert not values.add(slots, frame(numbers, pl.Int64)).any()


def test_room_of_cleared_values_is_used_again() -> None:
    values = value_set(slots=1)
    slots = np.zeros(10_000, np.int64)
    for start in range(0, 200_000, 10_000):
        assert values.add(slots, frame(np.arange(start, start + 10_000), pl.Int64)).all()
        values.clear(np.zeros(1, np.int64))
    assert len(values._known) < 40_000
