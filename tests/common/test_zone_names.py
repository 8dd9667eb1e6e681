"""Zones by name, and those of a fixed distance from GMT."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

import pytest

from sameriver.common.zones import fixed_distance, zone_named


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("GMT-08:00", -8),
        ("GMT+5", 5),
        ("GMT+05:30", 5.5),
        ("GMT-0330", -3.5),
        ("GMT+23:59", 1439 / 60),
    ],
)
def test_a_distance_from_gmt_is_a_zone(name: str, hours: float) -> None:
    zone = zone_named(name)
    assert zone.key == name
    assert zone.utcoffset(datetime(2024, 7, 1)) == timedelta(hours=hours)
    assert fixed_distance(zone) == timedelta(hours=hours)
    assert zone_named(name) is zone


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "GMT", "Etc/GMT+3"])
def test_named_zones_have_no_fixed_distance(name: str) -> None:
    assert fixed_distance(zone_named(name)) is None


@pytest.mark.parametrize("name", ["GMT+24", "GMT+5:75", "GMT+", "Nowhere"])
def test_other_names_are_no_zones(name: str) -> None:
    with pytest.raises(ZoneInfoNotFoundError):
        zone_named(name)
