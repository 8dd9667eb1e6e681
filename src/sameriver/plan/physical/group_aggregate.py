"""GROUP BY without a window, and SELECT DISTINCT (no calls)."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.state import Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.plan.expressions import AggregateCall, aggregate_to_sql
from sameriver.plan.meaning import Meanings, aggregate_meaning
from sameriver.plan.physical.aggregate_state import aggregate_state
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAggregate(PhysicalNode):
    """Schema: keys, then calls. Arguments and filters of calls are input columns or literals.

    ``folded``: one -U/+U a key and batch; else the changes record by record.
    ``retract``: the input takes rows back, so a count of live rows is kept and accumulators must
    retract.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    retract: bool
    folded: bool
    ttl: timedelta | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        kinds = {ChangeKind.INSERT}
        if self.calls:
            kinds |= {ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER}
        if self.retract:
            kinds.add(ChangeKind.DELETE)
        return frozenset(kinds)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return (self.keys,)

    def meanings(self) -> Meanings:
        below = self.input.meanings()
        names = self.schema.names
        keys = {name: below[key] for name, key in zip(names, self.keys, strict=False)}
        calls = {call.name: aggregate_meaning(call, below) for call in self.calls}
        return {**keys, **calls}

    def scope(self) -> RowScope:
        scope = self.input.scope()
        below = self.input.meanings()
        keys = ", ".join(sorted(below[key] for key in self.keys))
        return scope.through(f"GROUP BY {keys or '()'}")

    def state(self) -> tuple[StateTable, ...]:
        below = self.input.meanings()
        keys = tuple(
            StateColumn(
                name=key,
                type=self.input.schema[key].plain,
                meaning=below[key],
                role=Role.KEY,
            )
            for key in self.keys
        )
        return aggregate_state(
            keys=keys,
            calls=self.calls,
            retract=self.retract,
            below=below,
            scope=self.input.scope(),
            ttl=self.ttl,
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        calls = ", ".join(f"{aggregate_to_sql(call)} AS {call.name}" for call in self.calls)
        shown = [("keys", ", ".join(self.keys)), ("calls", calls)]
        shown = [(name, text) for name, text in shown if text]
        shown.append(("emits", "once a key and batch" if self.folded else "record by record"))
        if self.ttl:
            shown.append(("ttl", ttl_text(self.ttl)))
        return tuple(shown)
