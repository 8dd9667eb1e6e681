"""Arithmetic of windows of fixed size: which slice a time is in, which windows hold a slice."""

from __future__ import annotations

from math import gcd

import numpy as np

from sameriver.common.dataclass import dataclass
from sameriver.plan.window import Window, WindowKind
from sameriver.state.kernels.floor import floor
from sameriver.state.kernels.types import Ints


@dataclass(frozen=True, slots=True)
class Slicing:
    """Windows over wall time in ms; a slice is the longest stretch that no window cuts.

    Attributes:
        size: of a window; of CUMULATE the largest.
        slide: distance of the ends of windows.
        slice: length of a slice.
        offset: where the windows start.
        cumulate: windows share their start and grow by ``slide``.
    """

    size: int
    slide: int
    slice: int
    offset: int
    cumulate: bool = False

    @classmethod
    def of(cls, window: Window) -> Slicing:
        """The slicing of a TUMBLE, HOP or CUMULATE window."""
        step = window.step or window.size
        match window.kind:
            case WindowKind.HOP:
                return cls(window.size, step, gcd(window.size, step), window.offset)
            case WindowKind.CUMULATE:
                return cls(window.size, step, step, window.offset, cumulate=True)
            case _:
                return cls(window.size, window.size, window.size, window.offset)

    def slice_ends(self, times: Ints) -> Ints:
        """End of the slice that holds each time."""
        return self._floor(times, self.slice) + self.slice

    def first_ends(self, slice_ends: Ints) -> Ints:
        """End of the first window that holds each slice."""
        if self.cumulate:
            return slice_ends
        return self._floor(slice_ends - self.size + self.slide - 1, self.slide) + self.size

    def last_ends(self, slice_ends: Ints) -> Ints:
        """End of the last window that holds each slice."""
        stride = self.size if self.cumulate else self.slide
        return self._floor(slice_ends - 1, stride) + self.size

    def starts(self, ends: Ints) -> Ints:
        """Starts of the windows with these ends."""
        return self._floor(ends - 1, self.size) if self.cumulate else ends - self.size

    def ends_after(self, times: Ints) -> Ints:
        """The first end of a window that lies after each time."""
        shift = 0 if self.cumulate else self.size
        return self._floor(times - shift, self.slide) + self.slide + shift

    def _floor(self, times: Ints, unit: int) -> Ints:
        floored = np.empty(len(times), np.int64)
        floor(np.ascontiguousarray(times), self.offset, unit, floored)
        return floored

    def ends(self, slice_ends: Ints) -> Ints:
        """Ends of all windows that hold any of the slices, in order, each once."""
        if not len(slice_ends):
            return slice_ends
        count = -(-self.size // self.slide)
        first = self.first_ends(slice_ends)
        ends = first[:, None] + np.arange(count) * self.slide
        held = ends <= self.last_ends(slice_ends)[:, None]
        return np.unique(ends[held])

    def assign(self, times: Ints) -> tuple[Ints, Ints]:
        """Each time with each of its windows: position of the time, end of the window.

        As in Flink, the windows of HOP come latest first, those of CUMULATE earliest first.
        """
        slices = self.slice_ends(times)
        first, last = self.first_ends(slices), self.last_ends(slices)
        counts = np.maximum((last - first) // self.slide + 1, 0)
        positions = np.repeat(np.arange(len(times)), counts)
        number = np.arange(len(positions)) - np.repeat(np.cumsum(counts) - counts, counts)
        if self.cumulate:
            return positions, first[positions] + number * self.slide
        return positions, last[positions] - number * self.slide
