"""Time zones by name; also those of a fixed distance from GMT, which have no name of IANA's."""

from __future__ import annotations

import re
import struct
from datetime import datetime, timedelta
from functools import lru_cache
from io import BytesIO
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_CUSTOM = re.compile(r"GMT([+-])(\d{1,2})(?::?([0-5]\d))?")
_MOST_HOURS = 23


def zone_named(name: str) -> ZoneInfo:
    """``Europe/Berlin``, ``UTC``, ``GMT-08:00``, ``GMT+5``.

    Raises:
        ZoneInfoNotFoundError: there is no such zone.
        ValueError: nor can there be.
    """
    custom = _CUSTOM.fullmatch(name)
    if custom is None:
        return ZoneInfo(name)
    sign, hours, minutes = custom.groups(default="0")
    if int(hours) > _MOST_HOURS:
        raise ZoneInfoNotFoundError(name)
    return _fixed(name, int(f"{sign}1") * (int(hours) * 60 + int(minutes)))


@lru_cache
def _fixed(name: str, minutes: int) -> ZoneInfo:
    """A zone made of the shortest file that tells one: a single kind of time, no changes."""
    counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    kind = struct.pack(">lBB", minutes * 60, 0, 0)
    return ZoneInfo.from_file(BytesIO(b"TZif" + bytes(16) + counts + kind + b"GMT\0"), key=name)


def fixed_distance(zone: ZoneInfo) -> timedelta | None:
    """How far the clocks of such a zone are ahead of GMT; None of zones with a name."""
    if _CUSTOM.fullmatch(zone.key) is None:
        return None
    return zone.utcoffset(datetime(1970, 1, 1))
