"""Windows as data, shared by logical and physical nodes and by operators."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.types import DataType


class WindowKind(Enum):
    TUMBLE = "TUMBLE"
    HOP = "HOP"
    CUMULATE = "CUMULATE"
    SESSION = "SESSION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window definition; all durations in ms.

    Attributes:
        kind: TUMBLE (size), HOP (size, step = slide), CUMULATE (size = max size, step), SESSION
            (size = gap).
        time: name of the time column in the node's input. For a window over a stream that is
            windowed already (attached), None: ``start`` and ``end`` name its window columns.
        type: type of the time column; its time attribute tells event from processing time, its
            root whether windows are cut in the session's zone (TIMESTAMP_LTZ).
        size: ms.
        step: ms, or None.
        offset: ms.
        partition: SESSION only: PARTITION BY columns.
        position: where the script says it.
    """

    kind: WindowKind
    time: str
    type: DataType
    size: int
    step: int | None = None
    offset: int = 0
    partition: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)


class WindowProperty(Enum):
    """What a window gives besides its rows."""

    START = "window_start"
    END = "window_end"
    TIME = "window_time"
    PROCTIME = "proctime"
    """Legacy group windows only (TUMBLE_PROCTIME and its like)."""
