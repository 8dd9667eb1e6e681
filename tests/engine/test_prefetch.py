"""How a source is read ahead, and where its batches end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from engine_pieces import events

from sameriver.common.changes import Changes
from sameriver.connectors.connector import Position, SourceBatch
from sameriver.engine.prefetch import Prefetcher


class Trickle:
    """A row a poll; with ``most`` rows given, nothing more comes, and no end."""

    def __init__(self, most: int, pause: float = 0) -> None:
        self.most, self.pause, self.given = most, pause, 0

    @property
    def bounded(self) -> bool:
        return False

    def poll(self, rows: int) -> SourceBatch:
        time.sleep(self.pause)
        if self.given == self.most:
            return SourceBatch(None, {"row": self.given})
        self.given += 1
        changes: Changes = events((str(self.given), self.given))
        return SourceBatch(changes, {"row": self.given}, drained=True)

    def seek(self, position: Position) -> None: ...

    def counters(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None: ...


@contextmanager
def prefetching(source: Trickle, *, latency: float, rows: int = 1000) -> Iterator[Prefetcher]:
    ready = threading.Event()
    prefetcher = Prefetcher(source, rows=rows, latency=latency, ready=ready)
    try:
        yield prefetcher
    finally:
        prefetcher.close()


def taken(prefetcher: Prefetcher) -> int:
    batch = prefetcher.take(wait=20)
    assert batch is not None
    assert batch.changes is not None
    return len(batch.changes)


def test_rows_of_a_source_that_has_no_more_wait_for_the_latency() -> None:
    started = time.monotonic()
    with prefetching(Trickle(3), latency=0.1) as prefetcher:
        assert taken(prefetcher) == 3
        assert time.monotonic() - started >= 0.1


def test_a_full_batch_does_not_wait() -> None:
    with prefetching(Trickle(10), latency=3600, rows=5) as prefetcher:
        assert taken(prefetcher) == 5


def test_a_batch_grows_until_it_is_asked_for() -> None:
    source = Trickle(200, pause=0.005)
    with prefetching(source, latency=0.001) as prefetcher:
        while source.given < 5:
            time.sleep(0.01)
        assert taken(prefetcher) >= 5


def test_a_source_that_never_has_rows_can_be_closed() -> None:
    with prefetching(Trickle(0), latency=0.001) as prefetcher:
        assert prefetcher.take(wait=0.05) is None
