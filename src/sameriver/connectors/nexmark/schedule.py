"""When events happen."""

from __future__ import annotations

import numpy as np

from sameriver.connectors.nexmark.settings import MIXER, Settings

_SINE_STEPS = 10


class Schedule:
    """Event times: even at one rate, in turn along the steps of a period at two."""

    def __init__(self, settings: Settings) -> None:
        self._group = settings.group
        self._base = settings.base_time
        rates = _rates(settings)
        step = settings.period * 1000.0 / len(rates)
        counts = np.maximum(1, np.rint(rates * step / 1e6)).astype(np.int64)
        # At one rate the delay is exact, and the step never ends.
        self._even = len(rates) == 1
        self._delays = 1e6 / rates if self._even else step / counts
        self._ends = np.cumsum(counts)
        self._step = step

    def shuffled(self, numbers: np.ndarray) -> np.ndarray:
        """The events that come at these places: groups stay, their order is mixed."""
        if self._group == 1:
            return numbers
        mixed: np.ndarray = numbers // self._group * self._group + numbers * MIXER % self._group
        return mixed

    def times(self, numbers: np.ndarray) -> np.ndarray:
        """Times of events in ms since 1970."""
        passed = numbers * self._delays[0] if self._even else self._passed(numbers)
        times: np.ndarray = self._base + passed.astype(np.int64) // 1000
        return times

    def _passed(self, numbers: np.ndarray) -> np.ndarray:
        """Microseconds since the first event."""
        periods, rest = np.divmod(numbers, self._ends[-1])
        step = np.searchsorted(self._ends, rest, side="right")
        before = np.where(step > 0, self._ends[step - 1], 0)
        steps = periods * len(self._ends) + step
        passed: np.ndarray = steps * self._step + (rest - before) * self._delays[step]
        return passed


def _rates(settings: Settings) -> np.ndarray:
    """Events per second in each step of a period."""
    first, second = settings.rates
    if first == second:
        return np.array([first], dtype=np.float64)
    if not settings.sine:
        return np.array([first, second], dtype=np.float64)
    turn = 2 * np.pi * np.arange(_SINE_STEPS) / _SINE_STEPS
    return np.maximum(1.0, np.rint((first + second) / 2 + (first - second) / 2 * np.cos(turn)))
