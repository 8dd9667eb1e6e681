"""A window TVF without aggregate: adds window_start, window_end, window_time; stateless but for
SESSION, which holds rows until their session closes."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import BIGINT
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode
from sameriver.plan.physical.window_state import (
    WALL_TIME,
    key_columns,
    property_meaning,
    window_column,
    window_meaning,
    window_text,
    windowed_scope,
)
from sameriver.plan.window import Window, WindowKind, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTable(PhysicalNode):
    """Schema: the input's columns, then the window's three, named by start, end and time."""

    input: PhysicalNode
    window: Window
    start: str
    end: str
    time: str

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.window.partition,) if self.window.kind is WindowKind.SESSION else None

    def meanings(self) -> Meanings:
        window = self._window()
        own = {name: property_meaning(window, which) for name, which in self.properties()}
        return {**self.input.meanings(), **own}

    def properties(self) -> tuple[tuple[str, WindowProperty], ...]:
        """The columns it adds."""
        return (
            (self.start, WindowProperty.START),
            (self.end, WindowProperty.END),
            (self.time, WindowProperty.TIME),
        )

    def scope(self) -> RowScope:
        below = self.input.meanings()
        keys = [below[key] for key in self.window.partition]
        return windowed_scope(self.input.scope(), self._window(), keys)

    def state(self) -> tuple[StateTable, ...]:
        if self.window.kind is not WindowKind.SESSION:
            return ()
        schema, below = self.input.schema, self.input.meanings()
        keys = key_columns(schema, self.window.partition, below)
        taken = list(schema.names)
        own = []
        for name, type, role in (
            ("position", BIGINT.not_null, Role.KEY),
            ("session_start", WALL_TIME, Role.ROW),
            ("session_end", WALL_TIME, Role.ROW),
        ):
            own.append(window_column(name, type, self._window(), role, taken))
            taken.append(own[-1].name)
        rows = tuple(
            StateColumn(name=field.name, type=field.type, meaning=below[field.name], role=Role.ROW)
            for field in schema
            if field.name not in self.window.partition
        )
        scope = self.input.scope()
        return (
            StateTable(name="rows", key=(*keys, own[0]), values=(*rows, *own[1:]), scope=scope),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        return (("window", window_text(self.window)),)

    def _window(self) -> Meaning:
        return window_meaning(self.window, self.input.meanings())
