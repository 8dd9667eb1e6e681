"""Which slots were written since the last checkpoint."""

from __future__ import annotations

import numpy as np

from sameriver.state.kernels.types import Ints


class Written:
    """Marks slots that were written, from the first ``take`` on; before it nothing is marked.

    ``None`` for slots stands for all of them: the first time, and after ``renumber``.
    """

    def __init__(self) -> None:
        self._flags: np.ndarray | None = None
        self._all = True

    @property
    def on(self) -> bool:
        """Whether marks are kept, so that a caller can spare itself what they need."""
        return not self._all

    def mark(self, slots: Ints) -> None:
        """These slots were written or freed."""
        if self._all or not len(slots):
            return
        assert self._flags is not None
        try:
            self._flags[slots] = 1
        except IndexError:
            longer = np.zeros(2 * (int(slots.max()) + 1), np.uint8)
            longer[: len(self._flags)] = self._flags
            self._flags = longer
            self._flags[slots] = 1

    def renumber(self) -> None:
        """Slots mean something else from now on: all must be saved again.

        That stays cheap over time: what renumbers does so once much was written or freed.
        """
        self._all = True

    def take(self, *, whole: bool = False) -> Ints | None:
        """The slots marked since the last call, rising; None: all."""
        every = self._all or whole
        marked = None if every or self._flags is None else np.flatnonzero(self._flags)
        if self._flags is None:
            self._flags = np.zeros(1 << 10, np.uint8)
        self._flags[:] = 0
        self._all = False
        return marked
