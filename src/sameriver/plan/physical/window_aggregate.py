"""Aggregation per window of a window TVF."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import BIGINT
from sameriver.plan.expressions import AggregateCall, aggregate_to_sql
from sameriver.plan.meaning import Meanings, aggregate_meaning
from sameriver.plan.physical.aggregate_state import aggregate_state
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.window_state import (
    WALL_TIME,
    is_event_time,
    key_columns,
    property_meaning,
    window_column,
    window_meaning,
    window_text,
    windowed_scope,
)
from sameriver.plan.window import Window, WindowKind, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAggregate(PhysicalNode):
    """Emits each window once, when its end passes. Schema: keys, calls, properties.

    ``window`` cuts windows from a time column of the input; a SESSION is cut for each value of
    ``keys``. ``attached`` instead names the start and end columns that an input windowed before
    already carries (cascaded windows grouped by the inner window's own columns, or a SESSION
    partitioned by other columns than the keys); then ``window`` tells kind and time type only.
    ``properties`` maps output columns to START, END or TIME. For TIMESTAMP_LTZ time, windows are
    cut in the session zone's wall time, START and END are TIMESTAMP(3) wall time there, TIME is
    TIMESTAMP_LTZ(3). ``calculated``: something was computed between the window call and GROUP BY.
    """

    input: PhysicalNode
    window: Window
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, WindowProperty], ...]
    retract: bool
    attached: tuple[str, str] | None = None
    calculated: bool = False

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        keys = {name: below[key] for name, key in zip(self.schema.names, self.keys, strict=False)}
        calls = {call.name: aggregate_meaning(call, below) for call in self.calls}
        window = self._window()
        properties = {name: property_meaning(window, which) for name, which in self.properties}
        return {**keys, **calls, **properties}

    def scope(self) -> RowScope:
        below = self.input.meanings()
        keys = [below[key] for key in self.keys]
        return windowed_scope(self.input.scope(), self._window(), keys)

    def state(self) -> tuple[StateTable, ...]:
        return (*self.panes(), *self.windows(), *self.sessions(), *self.progress())

    def panes(self) -> tuple[StateTable, ...]:
        """Accumulators of what rows are folded into: slices, whole windows, or sessions."""
        match self.window.kind:
            case _ if self.attached is not None:
                return self._tables("", ("window_end", "window_start"))
            case WindowKind.SESSION:
                return self._tables("", ("session",))
            case WindowKind.TUMBLE:
                return self.whole_windows()
        return self._tables("slice_", ("slice_end",))

    def whole_windows(self) -> tuple[StateTable, ...]:
        """Accumulators by window, for windows that rows are folded into one by one."""
        return self._tables("", ("window_end",))

    def windows(self) -> tuple[StateTable, ...]:
        """CUMULATE: accumulators of the slices that have passed, of each largest window."""
        if self.attached is not None or self.window.kind is not WindowKind.CUMULATE:
            return ()
        return self._tables("window_", ("window_start",))

    def sessions(self) -> tuple[StateTable, ...]:
        """SESSION: from when to when each session reaches."""
        if self.attached is not None or self.window.kind is not WindowKind.SESSION:
            return ()
        key = self._key(("session",))
        taken = [column.name for column in key]
        start = window_column("window_start", WALL_TIME, self._window(), Role.ROW, taken)
        end = window_column("window_end", WALL_TIME, self._window(), Role.ROW, taken)
        scope = self.input.scope()
        return (StateTable(name="sessions", key=key, values=(start, end), scope=scope),)

    def progress(self) -> tuple[StateTable, ...]:
        """Processing-time HOP and CUMULATE: the end up to which windows have fired."""
        shared = self.window.kind in (WindowKind.HOP, WindowKind.CUMULATE)
        if self.attached is not None or not shared or is_event_time(self.window):
            return ()
        key = self._key(())
        fired = window_column(
            "fired_until", WALL_TIME, self._window(), Role.ROW, [column.name for column in key]
        )
        scope = self.input.scope()
        return (StateTable(name="progress", key=key, values=(fired,), scope=scope),)

    def details(self) -> tuple[tuple[str, str], ...]:
        calls = ", ".join(f"{aggregate_to_sql(call)} AS {call.name}" for call in self.calls)
        gives = ", ".join(f"{which.value} AS {name}" for name, which in self.properties)
        window = window_text(self.window, self.attached)
        shown = (("keys", ", ".join(self.keys)), ("window", window), ("calls", calls))
        return tuple((name, text) for name, text in (*shown, ("properties", gives)) if text)

    def _window(self) -> Meaning:
        return window_meaning(self.window, self.input.meanings(), self.attached)

    def _key(self, times: tuple[str, ...]) -> tuple[StateColumn, ...]:
        window = self._window()
        kinds = {"session": BIGINT.not_null}
        columns = [
            window_column(name, kinds.get(name, WALL_TIME), window, Role.KEY, self.keys)
            for name in times
        ]
        keys = key_columns(self.input.schema, self.keys, self.input.meanings())
        return (*columns, *keys)

    def _tables(self, prefix: str, times: tuple[str, ...]) -> tuple[StateTable, ...]:
        return aggregate_state(
            keys=self._key(times),
            calls=self.calls,
            retract=self.retract,
            below=self.input.meanings(),
            scope=self.input.scope(),
            ttl=None,
            prefix=prefix,
        )
