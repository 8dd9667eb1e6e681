"""Frees keys that were not written for the time to live."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from sameriver.operators.aggregation import Aggregation
from sameriver.state.kernels.types import Ints


class Expiry:
    """Looks at the keys of a batch each time, at all keys now and then.

    Args:
        ttl: time to live; None: keys live for ever.
        aggregation: knows when keys were written.
        forget: is told of slots (each once) that lose what they hold.
    """

    def __init__(
        self,
        ttl: timedelta | None,
        aggregation: Aggregation,
        forget: Callable[[Ints], None] = lambda slots: None,
    ) -> None:
        self._ttl = None if ttl is None else int(ttl.total_seconds() * 1000)
        self._aggregation = aggregation
        self._forget = forget
        self._swept: int | None = None

    def check(self, slots: Ints, now: int) -> None:
        """Makes the expired among ``slots`` new, and frees others that expired."""
        if self._ttl is None:
            return
        expired = self._aggregation.expired(slots, now - self._ttl)
        self._aggregation.clear(expired)
        self._forget(expired)
        if self._swept is None:
            self._swept = now
        elif now - self._swept > self._ttl // 4:
            self._swept = now
            self._sweep(slots, now - self._ttl)

    def _sweep(self, slots: Ints, oldest: int) -> None:
        everything = self._aggregation.all_slots()
        gone = self._aggregation.expired(everything, oldest)
        self._forget(gone)
        self._aggregation.remove(gone)
