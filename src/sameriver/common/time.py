"""Clocks, durations and zones."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Protocol

from sameriver.common.errors import UserError, place_of


class Clock(Protocol):
    """Processing time: what timers, ``PROCTIME()`` and state TTL read."""

    def now(self) -> int:
        """Milliseconds since 1970 in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is moved; for tests."""

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def set(self, now: int) -> None:
        self._now = now

    def advance(self, milliseconds: int) -> None:
        self._now += milliseconds


_UNITS = {
    "ns": 1e-6, "nano": 1e-6, "nanosecond": 1e-6,
    "us": 1e-3, "µs": 1e-3, "micro": 1e-3, "microsecond": 1e-3,
    "ms": 1, "milli": 1, "millisecond": 1,
    "s": 1000, "sec": 1000, "second": 1000,
    "m": 60_000, "min": 60_000, "minute": 60_000,
    "h": 3_600_000, "hour": 3_600_000,
    "d": 86_400_000, "day": 86_400_000,
}  # fmt: skip


def parse_duration(text: str) -> timedelta:
    """A duration as Flink writes it: ``10 s``, ``1.5 d`` is refused, a bare number is in ms.

    Raises:
        UserError: BAD_DURATION.
    """
    match = re.fullmatch(r"\s*(\d+)\s*([a-zµ]*)\s*", text.lower())
    unit = match.group(2) if match else ""
    factor = _UNITS.get(unit or "ms", _UNITS.get(unit.rstrip("s")))
    if match is None or factor is None:
        raise UserError(
            "BAD_DURATION",
            f"'{text}' is not a duration",
            hint="Write a number and a unit, such as '10 s', '5 min', '1 h' or '1 d'.",
            position=place_of(text),
        )
    return timedelta(milliseconds=int(match.group(1)) * factor)


def duration_text(milliseconds: int) -> str:
    """A duration in the largest unit that leaves a whole number, as Flink shows it: ``36 h``."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {unit}"
    return f"{milliseconds} ms"


def ttl_text(ttl: timedelta | None) -> str:
    """A time to live; None is for ever."""
    return "for ever" if ttl is None else duration_text(ttl // timedelta(milliseconds=1))
