"""CUMULATE: which steps are due, and whose results each shows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sameriver.common.dataclass import dataclass
from sameriver.operators.windows.slicing import Slicing
from sameriver.state.kernels.types import Ints


@dataclass(frozen=True, slots=True)
class Showing:
    """What windows show in one round, one step or several alike.

    Attributes:
        slots: numbers of running slots, in ``Steps.slots``.
        begins: first step (its end) at which each is shown.
        counts: at how many steps each is shown.
    """

    slots: Ints
    begins: Ints
    counts: Ints


class Steps:
    """The due steps of all windows, in rounds.

    Round 0 shows what windows held before; round k merges the k-th step that has slices, of all
    windows at once, and shows it until the window's next one. Windows don't overlap.

    Args:
        slicing: of the windows.
        running: slots and starts of windows that run, in order of start.
        slices: the slot that each due slice is merged into, and its end, in order of end.
        fired: the end up to which windows have fired.
        progress: the end up to which they fire now.

    Attributes:
        slots: slots of all these windows, by window, in order of arrival.
        starts: the window of each.
    """

    def __init__(
        self,
        slicing: Slicing,
        running: tuple[Ints, Ints],
        slices: tuple[Ints, Ints],
        *,
        fired: int,
        progress: int,
    ) -> None:
        self._slicing = slicing
        into, ends = slices
        starts = slicing.starts(ends)
        self._windows = np.union1d(running[1], starts)
        self._stops = np.minimum(self._windows + slicing.size, progress) + 1
        self._steps, position = np.unique(ends, return_inverse=True)
        self._of_steps = np.searchsorted(self._windows, slicing.starts(self._steps))
        self._rounds = 1 + _since(self._of_steps)
        self._of_slices = self._rounds[position]
        self._last = int(self._rounds.max(initial=0))
        self._arrive(running, into, starts)
        held = np.unique(np.searchsorted(self._windows, running[1]))
        begins = slicing.ends_after(np.maximum(self._windows[held], fired))
        self._plan(held, begins)

    def _arrive(self, running: tuple[Ints, Ints], into: Ints, starts: Ints) -> None:
        """Orders slots by window and arrival; ``_ranks`` tells window and round of arrival."""
        known = np.concatenate([running[0], into])
        of = np.searchsorted(self._windows, np.concatenate([running[1], starts]))
        rounds = np.concatenate([np.zeros(len(running[0]), np.int64), self._of_slices])
        slots, first = np.unique(known, return_index=True)
        order = np.lexsort((first, of[first]))
        first = first[order]
        self.slots: Ints = slots[order]
        self.starts: Ints = self._windows[of[first]]
        self._ranks = of[first] * (self._last + 1) + rounds[first]

    def _plan(self, held: Ints, begins: Ints) -> None:
        """All that is shown, by round: window, first step, number of steps."""
        windows = np.concatenate([held, self._of_steps])
        begins = np.concatenate([begins, self._steps])
        rounds = np.concatenate([np.zeros(len(held), np.int64), self._rounds])
        order = np.lexsort((rounds, windows))
        windows, begins, rounds = windows[order], begins[order], rounds[order]
        until = self._stops[windows]
        same = windows[1:] == windows[:-1]
        until[:-1][same] = begins[1:][same]
        counts = np.maximum(-(-(until - begins) // self._slicing.slide), 0)
        by_round = np.argsort(rounds, kind="stable")
        self._shown = windows[by_round], begins[by_round], counts[by_round]
        self._bounds = np.searchsorted(rounds[by_round], np.arange(self._last + 2))

    def rounds(self) -> Iterator[tuple[Ints, Showing]]:
        """Slices (by number) to merge, and what is to be shown then, round by round."""
        order = np.argsort(self._of_slices, kind="stable")
        bounds = np.searchsorted(self._of_slices[order], np.arange(self._last + 2))
        for number in range(self._last + 1):
            yield order[bounds[number] : bounds[number + 1]], self._showing(number)

    def _showing(self, number: int) -> Showing:
        part = slice(self._bounds[number], self._bounds[number + 1])
        windows, begins, counts = (array[part] for array in self._shown)
        low = np.searchsorted(self._ranks, windows * (self._last + 1))
        high = np.searchsorted(self._ranks, windows * (self._last + 1) + number, side="right")
        sizes = np.where(counts > 0, high - low, 0)
        slots = np.repeat(low - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return Showing(slots, np.repeat(begins, sizes), np.repeat(counts, sizes))


def _since(groups: Ints) -> Ints:
    """Position of each in its run of equal numbers."""
    first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])[: len(groups)])
    sizes = np.diff(np.append(first, len(groups)))
    positions: Ints = np.arange(len(groups)) - np.repeat(first, sizes)
    return positions
