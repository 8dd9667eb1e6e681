"""Arrays that grow where they are."""

from __future__ import annotations

import numpy as np
import pytest

from sameriver.state.room import grown

LARGE = 1 << 19


def test_a_longer_array_has_the_old_values_then_zeros() -> None:
    assert grown(np.array([1, 2, 3]), 5).tolist() == [1, 2, 3, 0, 0]


@pytest.mark.parametrize("width", [(), (3,)])
def test_a_large_array_grows_in_place_while_it_has_room(width: tuple[int, ...]) -> None:
    array = grown(np.zeros((0, *width), np.int64), LARGE)
    array[:] = 7
    longer = grown(array, 2 * LARGE)
    assert longer.ctypes.data == array.ctypes.data
    assert (longer[:LARGE] == 7).all()
    assert not longer[LARGE:].any()


def test_an_array_without_room_left_moves() -> None:
    array = grown(np.zeros(0, np.uint8), 8 * LARGE)
    array[:] = 1
    longer = grown(array, 100 * LARGE)
    assert longer.ctypes.data != array.ctypes.data
    assert longer[: 8 * LARGE].all()
    assert not longer[8 * LARGE :].any()


def test_what_was_cut_off_does_not_come_back() -> None:
    array = grown(np.zeros(0, np.int64), 2 * LARGE)
    array[:] = 7
    longer = grown(array[:LARGE], 2 * LARGE)
    assert not longer[LARGE:].any()


def test_an_array_that_is_cut_from_another_takes_nothing_of_it() -> None:
    whole = np.full(2 * LARGE, 7)
    assert not grown(whole[:LARGE], 2 * LARGE)[LARGE:].any()


def test_rows_start_with_a_cache_line() -> None:
    for rows in (1, 100, LARGE):
        assert grown(np.zeros((0, 8), np.int64), rows).ctypes.data % 64 == 0
