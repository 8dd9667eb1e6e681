"""Wall time of zones, and the instants at which windows are complete."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from window_bench import is_over, wall

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK
from sameriver.operators.windows import zones

ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
HOUR = 3_600_000


def ms(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


def progress(clock: zones.WallClock, watermark: int) -> int:
    return int(clock.progress(np.array([watermark]))[0])


@pytest.mark.parametrize("zone", ZONES)
@given(times=st.lists(st.integers(ms(1971, 1, 1), ms(2037, 1, 1)), min_size=1, max_size=5))
def test_wall_time_is_that_of_the_zone(zone: str, times: list[int]) -> None:
    clock = zones.wall_clock(ZoneInfo(zone))
    assert clock.wall(np.array(times)).tolist() == [wall(time, zone) for time in times]


@pytest.mark.parametrize("zone", ZONES)
@given(
    change=st.sampled_from([ms(2024, 3, 10, 7), ms(2024, 11, 3, 6), ms(2024, 10, 27, 1)]),
    end=st.integers(-30, 30),
    watermark=st.integers(-4 * HOUR, 4 * HOUR),
)
def test_window_is_over_when_its_wall_time_has_passed_for_good(
    zone: str, change: int, end: int, watermark: int
) -> None:
    clock = zones.wall_clock(ZoneInfo(zone))
    last = wall(change, zone) // HOUR * HOUR + end * HOUR // 4
    moment = change + watermark
    assert (progress(clock, moment) >= last) == is_over(last, moment, zone)
    fires = int(clock.instants(np.array([last - 1]))[0])
    assert progress(clock, fires) >= last
    assert progress(clock, fires - 1) < last


def test_days_have_23_and_25_hours() -> None:
    clock = zones.wall_clock(ZoneInfo("America/New_York"))
    midnights = np.array([ms(2024, 3, 10), ms(2024, 3, 11), ms(2024, 11, 3), ms(2024, 11, 4)])
    spring, _, autumn = np.diff(clock.instants(midnights)) // HOUR
    assert (spring, autumn) == (23, 25)


def test_watermarks_at_the_ends_of_time_do_not_overflow() -> None:
    for zone in ZONES:
        clock = zones.wall_clock(ZoneInfo(zone))
        assert progress(clock, MIN_WATERMARK) < ms(1, 1, 1)
        assert progress(clock, MAX_WATERMARK) > ms(9999, 1, 1)
