"""What the nodes with windows share: meanings of windows, and the keys of their state."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.schema import Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn
from sameriver.common.time import duration_text
from sameriver.common.types import DataType, TimeAttribute, timestamp
from sameriver.plan.meaning import Meanings
from sameriver.plan.window import Window, WindowKind, WindowProperty

WALL_TIME = timestamp(3).not_null
"""Type of starts and ends of windows in state: wall time of the session's zone."""


def is_event_time(window: Window) -> bool:
    """Whether watermarks fire the window, not the clock."""
    return window.type.attribute is not TimeAttribute.PROCTIME


def window_meaning(
    window: Window, below: Meanings, attached: tuple[str, str] | None = None
) -> Meaning:
    """Canonical text of a window: its kind, the meaning of its time, its lengths in ms."""
    if attached is not None:
        return Meaning(f"WINDOW({below[attached[0]]}, {below[attached[1]]})")
    time = below[window.time] if is_event_time(window) else "PROCTIME()"
    parts = [time, f"SIZE {window.size}"]
    if window.step is not None:
        parts.append(f"STEP {window.step}")
    if window.kind is not WindowKind.SESSION:
        parts.append(f"OFFSET {window.offset}")
    return Meaning(f"{window.kind.value}({', '.join(parts)})")


def property_meaning(window: Meaning, property: WindowProperty) -> Meaning:
    """Meaning of a column that holds a property of a window."""
    return Meaning(f"{property.value.upper()}({window})")


def key_columns(schema: Schema, keys: Sequence[str], below: Meanings) -> tuple[StateColumn, ...]:
    """The grouping keys as key columns of state."""
    return tuple(
        StateColumn(name=key, type=schema[key].plain, meaning=below[key], role=Role.KEY)
        for key in keys
    )


def window_column(
    name: str, type: DataType, window: Meaning, role: Role, taken: Sequence[str]
) -> StateColumn:
    """A column of state about a window, such as its end."""
    meaning = Meaning(f"{name.upper()}({window})")
    return StateColumn(name=unique(name, taken), type=type, meaning=meaning, role=role)


def windowed_scope(scope: RowScope, window: Meaning, keys: Sequence[Meaning]) -> RowScope:
    """Scope of what a windowed aggregation emits."""
    return scope.through(f"{window} BY {', '.join(sorted(keys)) or '()'}")


def window_text(window: Window, attached: tuple[str, str] | None = None) -> str:
    """A window as ``explain`` shows it."""
    if attached is not None:
        return f"{window.kind.value}(start={attached[0]}, end={attached[1]})"
    parts = [f"time={window.time}", f"size={duration_text(window.size)}"]
    if window.step is not None:
        parts.append(f"step={duration_text(window.step)}")
    if window.offset:
        parts.append(f"offset={duration_text(window.offset)}")
    if window.partition:
        parts.append(f"partition={', '.join(window.partition)}")
    return f"{window.kind.value}({', '.join(parts)})"
