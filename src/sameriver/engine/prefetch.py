"""Reads a source ahead in a thread and makes batches of a good size."""

from __future__ import annotations

import queue
import threading
import time

from sameriver.common.changes import Changes, concat
from sameriver.connectors.connector import Source, SourceBatch

_AHEAD = 2
_PAUSE = 0.002
"""Seconds between two polls of a source that has nothing more for now."""
_LONG_PAUSE = 0.05
"""Longest time in seconds in which a source isn't polled because the job is busy."""


class Prefetcher:
    """A thread that polls one source; batches wait in a short queue.

    Attributes:
        source: what it reads.
    """

    def __init__(
        self, source: Source, *, rows: int, latency: float, ready: threading.Event
    ) -> None:
        self.source = source
        self._rows = rows
        self._latency = latency
        self._pause = min(_PAUSE, latency / 2)
        self._ready = ready
        self._queue: queue.Queue[SourceBatch | BaseException] = queue.Queue(_AHEAD)
        self._stopped = threading.Event()
        self._asked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="source", daemon=True)
        self._thread.start()

    def take(self, wait: float = 0) -> SourceBatch | None:
        """The next batch, or None if there is none after ``wait`` seconds.

        Raises:
            Exception: whatever the source raised.
        """
        if self._queue.empty():
            self._asked.set()
        try:
            item = self._queue.get(block=wait > 0, timeout=wait or None)
        except queue.Empty:
            return None
        if isinstance(item, BaseException):
            raise item
        return item

    def close(self) -> None:
        """Stops the thread and closes the source."""
        self._stopped.set()
        self._thread.join()
        self.source.close()

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                batch = self._fill()
                if batch is not None:
                    self._put(batch)
                    if batch.finished:
                        return
        except BaseException as error:
            self._put(error)

    def _put(self, item: SourceBatch | BaseException) -> None:
        # Before it is there: the job may take it and ask for the next one at once.
        self._asked.clear()
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=_LONG_PAUSE)
            except queue.Full:
                continue
            self._ready.set()
            return

    def _fill(self) -> SourceBatch | None:
        """Polls until the batch is full, due or the last; None: stopped before anything came.

        A batch is due when its first row has waited for the latency and it was asked for: while
        the job is busy the next batch grows, so that a slow job gets few large ones.
        """
        parts: list[Changes] = []
        watermark: int | None = None
        count = 0
        deadline: float | None = None
        while True:
            batch = self.source.poll(self._rows - count)
            if batch.changes is not None and len(batch.changes):
                parts.append(batch.changes)
                count += len(batch.changes)
            if batch.watermark is not None:
                watermark = batch.watermark
            if deadline is None and (parts or watermark is not None):
                deadline = time.monotonic() + self._latency
            if batch.finished or count >= self._rows or self._stopped.is_set():
                break
            late = deadline is not None and time.monotonic() >= deadline
            if late and self._asked.is_set():
                break
            if batch.changes is None or batch.drained:
                self._wait(late=late)
        if not parts and watermark is None and not batch.finished:
            return None
        # Here it is done while the job works on the batch before.
        changes = concat(parts).in_one_piece() if parts else None
        return SourceBatch(changes, batch.position, batch.finished, watermark)

    def _wait(self, *, late: bool) -> None:
        """Lets a source gather rows; a batch that is late waits for the job, not for the source."""
        if late:
            self._asked.wait(_LONG_PAUSE)
        else:
            time.sleep(self._pause)
