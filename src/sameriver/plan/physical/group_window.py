"""Legacy group windows: GROUP BY k, TUMBLE(ts, ...), with early and late fire."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import duration_text
from sameriver.common.types import TINYINT, DataType, timestamp_ltz
from sameriver.plan.expressions import AggregateCall
from sameriver.plan.meaning import Meanings
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_state import is_event_time
from sameriver.plan.window import Window, WindowKind, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWindow(PhysicalNode):
    """Schema: keys, calls, properties. Delays in ms; None: off. ``lateness`` in ms."""

    input: PhysicalNode
    window: Window
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, WindowProperty], ...]
    retract: bool
    early_fire: int | None = None
    late_fire: int | None = None
    lateness: int = 0

    def __post_init__(self) -> None:
        if self.window.kind is WindowKind.SESSION and self.updates:
            raise UserError(
                "UNSUPPORTED",
                "SESSION group windows take no early or late fire and no lateness",
                hint="Reset the options 'table.exec.emit.*', or group by another window.",
            )

    @property
    def updates(self) -> bool:
        """Whether a window may show results more than once."""
        late = self.late_fire is not None or self.lateness > 0
        return self.early_fire is not None or (late and is_event_time(self.window))

    def plain(self) -> WindowAggregate:
        """The aggregation that shows each window once; by it all state but that of firing goes."""
        return WindowAggregate(
            schema=self.schema,
            input=self.input,
            window=self.window,
            keys=self.keys,
            calls=self.calls,
            properties=self.properties,
            retract=self.retract,
        )

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        if not self.updates:
            return INSERT_ONLY
        kinds = {ChangeKind.INSERT, ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER}
        return frozenset(kinds | {ChangeKind.DELETE} if self.retract else kinds)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    def meanings(self) -> Meanings:
        return self.plain().meanings()

    def scope(self) -> RowScope:
        return self.plain().scope()

    def state(self) -> tuple[StateTable, ...]:
        if not self.updates:
            return self.plain().state()
        return (*self.plain().whole_windows(), self.emitted(), self.triggers())

    def emitted(self) -> StateTable:
        """What each window showed last."""
        accumulators = self.plain().whole_windows()[0]
        below = self.plain().meanings()
        taken = [column.name for column in accumulators.key]
        values = []
        for call in self.calls:
            name = unique(call.name, taken)
            taken.append(name)
            values.append(_row(name, call.type.plain, Meaning(f"EMITTED({below[call.name]})")))
        return StateTable(
            name="emitted", key=accumulators.key, values=tuple(values), scope=accumulators.scope
        )

    def triggers(self) -> StateTable:
        """Whether each window has fired at its end, and when the clock fires it next."""
        accumulators = self.plain().whole_windows()[0]
        taken = [column.name for column in accumulators.key]
        phase = _row(unique("phase", taken), TINYINT.not_null, Meaning("PHASE"))
        next_fire = _row(unique("next_fire", taken), timestamp_ltz(3), Meaning("NEXT_FIRE"))
        return StateTable(
            name="triggers",
            key=accumulators.key,
            values=(phase, next_fire),
            scope=accumulators.scope,
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        fires = []
        if self.early_fire is not None:
            fires.append(_fire("early", self.early_fire))
        if self.late_fire is not None:
            fires.append(_fire("late", self.late_fire))
        if self.lateness:
            fires.append(f"lateness {duration_text(self.lateness)}")
        emits = (("emits", ", ".join(fires)),) if fires else ()
        return (*self.plain().details(), *emits)


def _row(name: str, type: DataType, meaning: Meaning) -> StateColumn:
    return StateColumn(name=name, type=type, meaning=meaning, role=Role.ROW)


def _fire(when: str, delay: int) -> str:
    return f"{when} every {duration_text(delay)}" if delay else f"{when} at each row"
