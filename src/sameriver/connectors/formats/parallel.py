"""Threads for work that leaves the GIL alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

THREADS = min(4, os.cpu_count() or 1)
_POOL = ThreadPoolExecutor(THREADS, thread_name_prefix="parse")


def each(function: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """``function`` of each item, in order. ``function`` must not call ``each`` itself."""
    return list(_POOL.map(function, items))
