"""Memory that a thread uses again."""

from __future__ import annotations

from threading import Thread

import numpy as np

from sameriver.connectors.formats.scratch import Scratch


def test_arrays_of_one_piece_do_not_touch() -> None:
    scratch = Scratch()
    for _ in range(3):
        scratch.begin()
        made = [
            scratch.empty(5, np.uint8),
            scratch.empty((3, 7), np.int64),
            scratch.empty((0, 4), np.int64),
            scratch.empty(1000, np.int64),
        ]
        for value, array in enumerate(made, 1):
            array.fill(value)
        assert [array.shape for array in made] == [(5,), (3, 7), (0, 4), (1000,)]
        assert [set(array.ravel().tolist()) for array in made] == [{1}, {2}, set(), {4}]


def test_memory_is_kept_when_it_is_known_how_much_is_needed() -> None:
    scratch = Scratch()
    scratch.begin()
    scratch.empty(100, np.int64)
    scratch.begin()
    first = scratch.empty(100, np.int64)
    scratch.begin()
    assert np.shares_memory(first, scratch.empty(100, np.int64))


def test_memory_for_more_than_a_thread_may_keep_is_given_back() -> None:
    scratch = Scratch()
    size = 1 << 26
    for _ in range(3):
        scratch.begin()
        made = [scratch.empty(size, np.uint8) for _ in range(4)]
        assert not any(np.shares_memory(made[0], other) for other in made[1:])
    scratch.begin()
    kept = [scratch.empty(size, np.uint8) for _ in range(4)]
    shared = [np.shares_memory(one, other) for one, other in zip(made, kept, strict=True)]
    assert shared == [True, True, False, False]


def test_threads_have_memory_of_their_own() -> None:
    scratch = Scratch()
    scratch.begin()
    mine = scratch.empty(100, np.int64)
    mine.fill(1)

    def other() -> None:
        for _ in range(3):
            scratch.begin()
            scratch.empty(100, np.int64).fill(2)

    thread = Thread(target=other)
    thread.start()
    thread.join()
    assert set(mine.tolist()) == {1}
