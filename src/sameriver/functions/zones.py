"""TIMESTAMP_LTZ and the wall time of a zone."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.zones import fixed_distance

_GAP = pl.duration(hours=26)
"""Longer than any jump of a clock, or of the date line; shorter than the time between two."""


def to_wall(instant: pl.Expr, zone: ZoneInfo) -> pl.Expr:
    """UTC instants -> naive wall time in ``zone``."""
    if zone.key == "UTC":
        return instant.dt.replace_time_zone(None)
    ahead = fixed_distance(zone)
    if ahead is not None:
        return instant.dt.replace_time_zone(None).dt.offset_by(_text(ahead))
    return instant.dt.convert_time_zone(zone.key).dt.replace_time_zone(None)


def to_instant(
    wall: pl.Expr, zone: ZoneInfo, *, ambiguous: Literal["earliest", "latest"] = "earliest"
) -> pl.Expr:
    """Naive wall time in ``zone`` -> UTC instants.

    A time that occurs twice is the ``ambiguous`` one; one that a clock change skips is read with
    the offset before the change, as Java does.
    """
    if zone.key == "UTC":
        return wall.dt.replace_time_zone("UTC")
    ahead = fixed_distance(zone)
    if ahead is not None:
        return wall.dt.offset_by(_text(-ahead)).dt.replace_time_zone("UTC")
    return pl.coalesce(_placed(wall, zone, ambiguous), _placed(wall - _GAP, zone, ambiguous) + _GAP)


def _text(length: timedelta) -> str:
    return f"{length // timedelta(minutes=1)}m"


def _placed(wall: pl.Expr, zone: ZoneInfo, ambiguous: Literal["earliest", "latest"]) -> pl.Expr:
    placed = wall.dt.replace_time_zone(zone.key, ambiguous=ambiguous, non_existent="null")
    return placed.dt.convert_time_zone("UTC")
