"""What a physical node does to its input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import MIN_WATERMARK, Changes, Event
from sameriver.common.config import Config
from sameriver.common.lookup import Lookup
from sameriver.common.time import Clock
from sameriver.state.handle import StateStore
from sameriver.state.kernels.types import Ints


@dataclass(slots=True, kw_only=True)
class OperatorContext:
    """What the engine gives an operator instance.

    Attributes:
        clock: processing time.
        config: options of the job.
        zone: ``table.local-time-zone``.
        store: where the operator registers its state handles.
        counters: metrics; ``late_rows`` counts rows dropped as late.
        open_lookup: opens the table that a lookup join looks rows up in.
    """

    clock: Clock
    config: Config
    zone: ZoneInfo
    store: StateStore = field(default_factory=StateStore)
    counters: Counter[str] = field(default_factory=Counter)
    open_lookup: Callable[[Any], Lookup] | None = None


class Need(Protocol):
    """Which rows of a batch an operator needs.

    Attributes:
        columns: those by which that is found out.
    """

    columns: frozenset[str]

    def numbers(self, rows: pl.DataFrame) -> Ints:
        """Numbers of the rows that are needed, rising; they alone give the same result."""


class Operator:
    """One shard of one node. The engine calls it from one thread at a time.

    Attributes:
        watermark: the combined watermark of its inputs in ms. The engine moves it forward just
            before ``on_watermark`` and sets it again after a restore.
        splits: False (the default): the engine cuts a batch with ``watermarks`` into runs between
            which ``on_watermark`` is called. True: the operator takes the column itself, and
            gives either rows with a ``watermarks`` column or Watermark events in between.
        assigns: True: watermarks from below end here, but for the one at the end of input; the
            operator makes its own, and ``watermark`` is the last one it gave.
        needs: which rows of a batch matter, as numbers by columns of them; None: all.
        read_by: what the only reader of this node's rows needs of them, so that the operator may
            leave others out.
        delay: how far in ms the node's output watermark stays behind ``watermark``: it may give
            rows that much older.
    """

    splits: ClassVar[bool] = False
    assigns: ClassVar[bool] = False

    def __init__(self, context: OperatorContext) -> None:
        self.context = context
        self.watermark = MIN_WATERMARK
        self.delay = 0
        self.needs: Need | None = None
        self.read_by: Need | None = None

    def process(self, port: int, changes: Changes) -> Iterable[Event]:
        """Takes one batch from input ``port``."""
        raise NotImplementedError

    def on_watermark(self) -> Iterable[Changes]:
        """``self.watermark`` has moved; what is due now. The engine then passes it on."""
        return ()

    def next_timer(self) -> int | None:
        """When ``on_timer`` wants to be called, in ms of processing time."""
        return None

    def on_timer(self) -> Iterable[Changes]:
        """The clock is at or past ``next_timer()``."""
        return ()

    def restored(self) -> None:
        """State and watermark have just been restored: rebuild what derives from them."""
