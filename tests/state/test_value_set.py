"""Sets of values by slot, against Python's sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.state.kernels.types import Ints
from sameriver.state.value_set import Marks, OneSet, ValueSet

SLOTS, SETS = 4, 3
ADDS = st.lists(
    st.tuples(st.integers(0, SLOTS - 1), st.integers(-3, 5), st.integers(1, 2**SETS - 1)),
    max_size=20,
)
STEPS = st.lists(st.one_of(ADDS, st.sets(st.integers(0, SLOTS - 1), min_size=1)), max_size=12)


def value_set(
    dtype: pl.DataType | type[pl.DataType] = pl.Int64, slots: int = SLOTS, sets: int = 1
) -> ValueSet:
    values = ValueSet(pl.Schema({"v0": dtype}), sets=sets)
    values.reserve(slots)
    return values


def frame(values: list[int] | np.ndarray, dtype: pl.DataType | type[pl.DataType]) -> pl.DataFrame:
    return pl.Series("v0", values, dtype=pl.Int64).cast(dtype).to_frame()


def everywhere(rows: int) -> Marks:
    return np.ones((1, rows), np.int8)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.String])
@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_tells_new_values_and_lists_them_in_order(
    dtype: type[pl.DataType], steps: list[list[tuple[int, int, int]] | set[int]]
) -> None:
    values = value_set(dtype, sets=SETS)
    model: dict[int, dict[int, int]] = {slot: {} for slot in range(SLOTS)}
    for step in steps:
        if isinstance(step, set):
            values.clear(np.array(sorted(step), np.int64))
            model.update({slot: {} for slot in step})
            continue
        expected = []
        for slot, value, bits in step:
            known = model[slot].get(value, 0)
            expected.append(bits & ~known)
            model[slot][value] = known | bits
        marks = np.array([[bits >> k & 1 for *_, bits in step] for k in range(SETS)], np.int8)
        slots = np.array([slot for slot, *_ in step], np.int64)
        values.add(slots, frame([value for _, value, _ in step], dtype), marks)
        assert _bits(marks) == expected
        rows, found, marks = values.entries(np.arange(SLOTS))
        listed = zip(rows.tolist(), found["v0"].cast(pl.Int64), _bits(marks), strict=True)
        assert list(listed) == [(slot, *pair) for slot in model for pair in model[slot].items()]
        for one in values.sets:
            _, slots, found = one.save(one.numbers())
            saved = zip(slots.tolist(), found["v0"].cast(pl.Int64), strict=True)
            assert sorted(saved) == sorted(
                (slot, value)
                for slot, held in model.items()
                for value, bits in held.items()
                if bits >> one.number & 1
            )


def _bits(marks: Marks) -> list[int]:
    return [sum(int(bit) << k for k, bit in enumerate(column)) for column in marks.T]


def test_what_each_set_saved_is_loaded_again() -> None:
    values, again = value_set(sets=2), value_set(sets=2)
    slots = np.array([0, 0, 1, 1], np.int64)
    marks = np.array([[1, 1, 0, 1], [0, 1, 1, 0]], np.int8)
    values.add(slots, frame([5, 6, 5, 7], pl.Int64), marks)
    for one, other in zip(values.sets, again.sets, strict=True):
        _, at, rows = one.save(one.numbers())
        other.load(at, rows)
    listed = []
    for each in (values, again):
        places, found, held = each.entries(np.arange(2))
        listed.append(sorted(zip(places.tolist(), found["v0"], _bits(held), strict=True)))
    assert listed[0] == listed[1] == [(0, 5, 1), (0, 6, 3), (1, 5, 2), (1, 7, 1)]


def test_a_set_saves_values_that_it_got_after_others() -> None:
    values = value_set(sets=2)
    slots, five = np.zeros(1, np.int64), frame([5], pl.Int64)
    values.add(slots, five, np.array([[1], [0]], np.int8))
    for one in values.sets:
        one.written.capture(one.numbers, _saved(one), whole=False)()
    values.add(slots, five, np.array([[1], [1]], np.int8))
    deltas = [one.written.capture(one.numbers, _saved(one), whole=False)() for one in values.sets]
    assert [delta.rows["v0"].to_list() for delta in deltas] == [[], [5]]


def _saved(one: OneSet) -> Callable[[Ints], tuple[Ints, pl.DataFrame]]:
    def save(pairs: Ints) -> tuple[Ints, pl.DataFrame]:
        ids, _, rows = one.save(pairs)
        return ids, rows

    return save


def test_grows_within_a_batch() -> None:
    random = np.random.default_rng(3)
    slots = random.integers(0, 50, 60_000)
    numbers = random.integers(-(2**62), 2**62, 2_000)[random.integers(0, 2_000, 60_000)]
    values = value_set(slots=50)
    new, old = everywhere(60_000), everywhere(60_000)
    values.add(slots, frame(numbers, pl.Int64), new)
    first = pl.DataFrame({"s": slots, "v": numbers}).to_struct().is_first_distinct()
    assert new[0].astype(bool).tolist() == first.to_list()
    values.add(slots, frame(numbers, pl.Int64), old)
    assert not old.any()


def test_room_of_cleared_values_is_used_again() -> None:
    values = value_set(slots=1)
    slots = np.zeros(10_000, np.int64)
    for start in range(0, 200_000, 10_000):
        marks = everywhere(10_000)
        values.add(slots, frame(np.arange(start, start + 10_000), pl.Int64), marks)
        assert marks.all()
        values.clear(np.zeros(1, np.int64))
    assert len(values._known) < 40_000
