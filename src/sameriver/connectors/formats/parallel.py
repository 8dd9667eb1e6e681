"""Threads for work that leaves the GIL alone."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

_THREADS = min(4, os.cpu_count() or 1)
_POOL = ThreadPoolExecutor(_THREADS, thread_name_prefix="parse")


def each(function: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """``function`` of each item, in order. ``function`` must not come back here itself."""
    return list(_POOL.map(function, items))


def ahead(
    function: Callable[[Item], Made], items: Iterable[Item]
) -> Iterator[tuple[Item, Callable[[], Made]]]:
    """Each item and what gives ``function`` of it, in order; the next few are worked on meanwhile.

    ``function`` must not come back here itself. If ``items`` fails, what came before it is given
    first. Nothing is worked on any more once the iterator is closed.
    """
    source, waiting = iter(items), deque[tuple[Item, Future[Made]]]()
    ended, failure = False, None
    try:
        while not ended:
            try:
                item = next(source)
            except StopIteration:
                ended = True
            except Exception as error:
                ended, failure = True, error
            else:
                waiting.append((item, _POOL.submit(function, item)))
            while waiting and (ended or len(waiting) > _THREADS or waiting[0][1].done()):
                done, future = waiting.popleft()
                yield done, future.result
    finally:
        wait(future for _, future in waiting if not future.cancel())
    if failure is not None:
        raise failure
