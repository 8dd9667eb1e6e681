"""A join with a table that is looked up by key as rows come."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.types import BIGINT, TimeAttribute
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.sides import reads, right_meaning
from sameriver.plan.physical.timed_join import JoinKeys
from sameriver.plan.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupJoin(PhysicalNode):
    """Schema: left columns, then right ones; kind INNER or LEFT.

    If the input takes rows back, what was found for a row is kept: the table may have changed by
    then. Otherwise there is no state.

    ``columns`` pairs the name of each right column in the join with its name in ``table``;
    ``keys`` uses the names in the join. ``options`` are those of OPTIONS hints.
    """

    input: PhysicalNode
    table: Table
    options: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    kind: JoinKind
    keys: JoinKeys
    condition: Expression | None = None

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def changelog(self) -> ChangelogMode:
        return self.input.changelog

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        # Rows that replace each other may differ in any column, and must stay in order.
        return None if self.input.changelog == INSERT_ONLY else ((),)

    @property
    def remembered(self) -> tuple[str, ...]:
        """Left columns by which a row that is taken back is known again."""
        return tuple(
            f.name
            for f in self.input.schema
            if f.name in self.schema and f.type.attribute is not TimeAttribute.PROCTIME
        )

    @property
    def entry_column(self) -> str:
        """The state column that tells which lookup gave a row."""
        return unique("entry", self.schema.names)

    def state(self) -> tuple[StateTable, ...]:
        if self.input.changelog == INSERT_ONLY:
            return ()
        meanings, scope = self.meanings(), self.scope()

        def column(name: str, role: Role) -> StateColumn:
            type = self.schema[name].plain
            return StateColumn(name=name, type=type, meaning=meanings[name], role=role)

        key = tuple(column(name, Role.KEY) for name in self.remembered)
        rest = tuple(column(n, Role.ROW) for n in self.schema.names if n not in self.remembered)
        entry = StateColumn(
            name=self.entry_column, type=BIGINT.not_null, meaning=Meaning("ENTRY"), role=Role.ROW
        )
        return (StateTable(name="found", key=key, values=(*rest, entry), scope=scope),)

    @property
    def right(self) -> Schema:
        """The right columns by their names in the join."""
        types = {f.name: f.type for f in self.table.physical}
        return Schema(tuple(Field(name, types[column]) for name, column in self.columns))

    @property
    def looked_up(self) -> Schema:
        """The right columns by their names in the table."""
        types = {f.name: f.type for f in self.table.physical}
        return Schema(tuple(Field(column, types[column]) for _, column in self.columns))

    def meanings(self) -> Meanings:
        both = {**self._right(), **self.input.meanings()}
        return {name: both[name] for name in self.schema.names}

    def scope(self) -> RowScope:
        scope = self.input.scope()
        left, right = self.input.meanings(), self._right()
        text = f"{self.kind.value} LOOKUP JOIN {self.table.name}:{self.table.connector}"
        text = f"{text} ON {self.keys.text(left, right)}"
        if self.condition is not None:
            text = f"{text} AND {meaning(self.condition, {**left, **right})}"
        return scope.through(text)

    def details(self) -> tuple[tuple[str, str], ...]:
        shown = [("table", self.table.name), ("kind", self.kind.value)]
        shown.append(("keys", self.keys.shown()))
        if self.condition is not None:
            shown.append(("condition", to_sql(self.condition)))
        return tuple(shown)

    def _right(self) -> Meanings:
        source = f"{self.table.name}:{self.table.connector}"
        marks = reads(self.input.scope().sources, (source,))
        return {
            name: right_meaning(Meaning(f"{self.table.name}.{column}"), marks)
            for name, column in self.columns
        }
