"""Which slots were written or freed since the last checkpoint."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from sameriver.state.handle import Capture, Delta
from sameriver.state.kernels.types import NO_INTS, Ints

_WRITTEN, _FREED = 1, 2


class Written:
    """Marks slots that were written or freed, from the first ``capture`` on."""

    def __init__(self) -> None:
        self._flags = np.zeros(0, np.uint8)
        self._all = True

    @property
    def on(self) -> bool:
        """Whether marks count, so that a caller can spare itself finding out what to mark."""
        return not self._all

    def mark(self, slots: Ints) -> None:
        """These slots were written."""
        if not self._all and len(slots):
            self._room(slots)[slots] = _WRITTEN

    def free(self, slots: Ints) -> None:
        """Nothing is left at these slots."""
        if not self._all and len(slots):
            self._room(slots)[slots] = _FREED

    def renumber(self) -> None:
        """Slots mean something else from now on: all must be saved again.

        That stays cheap over time, for what renumbers does so once much was written or freed.
        """
        self._all = True

    def capture(
        self,
        every: Callable[[], Ints],
        save: Callable[[Ints], tuple[Ints, pl.DataFrame]],
        *,
        whole: bool,
    ) -> Capture:
        """What a handle gives for what was marked since the last call.

        Args:
            every: the slots in use.
            save: rows of slots as declared, and the slot of each.
            whole: all slots count as marked.
        """
        marked = NO_INTS if whole or self._all else np.flatnonzero(self._flags == _WRITTEN)
        everything = whole or self._all or self._are_most(marked, every)
        freed = NO_INTS if everything else np.flatnonzero(self._flags == _FREED)
        slots = every() if everything else marked
        self._flags.fill(0)
        self._all = False
        ids, rows = save(slots)

        def delta() -> Delta:
            emptied = NO_INTS if everything else _without(slots, ids)
            gone = np.concatenate([freed, emptied])
            return Delta(rows=rows, ids=ids, gone=gone, whole=everything)

        return delta

    def _are_most(self, marked: Ints, every: Callable[[], Ints]) -> bool:
        """Whether saving all is less work than saving these and forgetting what they replace."""
        return 4 * len(marked) > len(self._flags) and 4 * len(marked) >= 3 * len(every())

    def _room(self, slots: Ints) -> np.ndarray:
        top = int(slots.max())
        if top >= len(self._flags):
            longer = np.zeros(max(2 * len(self._flags), top + 1), np.uint8)
            longer[: len(self._flags)] = self._flags
            self._flags = longer
        return self._flags


def _without(slots: Ints, ids: Ints) -> Ints:
    """Those of the slots (rising) that aren't among the ids."""
    if not len(slots):
        return NO_INTS
    left = np.zeros(int(slots[-1]) + 1, np.bool_)
    left[slots] = True
    left[ids] = False
    return np.flatnonzero(left)
