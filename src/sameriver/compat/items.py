"""How the parts of traits are made from a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.schema import Schema
from sameriver.common.state import RowScope
from sameriver.common.types import DataType
from sameriver.compat.description import Item, Trait
from sameriver.compat.places import Places
from sameriver.compat.readings import Reader, Readings
from sameriver.plan.expressions import AggregateCall, Expression, SortKey, columns, place
from sameriver.plan.meaning import Meanings, aggregate_meaning, meaning
from sameriver.plan.physical.aggregate_state import accumulator_columns, aggregate_state
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.ordering import order_meaning
from sameriver.plan.physical.sides import side_meanings
from sameriver.plan.rules.tree import parts_of

STATELESS = ("LAG", "LEAD", "ROW_NUMBER", "RANK", "DENSE_RANK")
"""Calls that read stored rows and have no accumulator."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes items of one node.

    Attributes:
        node: the stateful node.
        reader, places: texts and positions in the script.
        outputs: the output columns that hang on a meaning.
        zone: of the session.
    """

    node: PhysicalNode
    reader: Reader
    places: Places
    outputs: Callable[[str], tuple[str, ...]]
    zone: str

    @property
    def below(self) -> Meanings:
        match self.node.inputs:
            case (left, right):
                return side_meanings(left, right)
        return self.node.inputs[0].meanings()

    @property
    def readings(self) -> Readings:
        return self.reader.below(self.node)

    def keys(self, name: str, schema: Schema, names: Iterable[str]) -> Trait:
        """Columns that state is kept by; they stand where the operator does."""
        items = (self._column(schema, key, self.node.position) for key in names)
        return Trait(name=name, items=tuple(items))

    def columns(self, name: str, schema: Schema, names: Iterable[str] | None = None) -> Trait:
        """Columns of rows."""
        chosen = schema.names if names is None else names
        return Trait(name=name, items=tuple(self._column(schema, one, None) for one in chosen))

    def _column(self, schema: Schema, name: str, position: Position | None) -> Item:
        below = self.below
        found = position or self.places.expressions.get(below[name]) or self.node.position
        return Item(
            meaning=below[name],
            text=self.readings[name],
            type=type_text(schema[name]),
            position=found,
            like=(name,),
        )

    def fact(self, name: str, meaning: str, text: str, position: Position | None = None) -> Trait:
        """A trait that is one thing."""
        item = Item(meaning=meaning, text=text, position=position or self.node.position)
        return Trait(name=name, items=(item,))

    def flag(self, name: str, set: bool, text: str) -> Trait:
        """A trait that is there or not."""
        return self.fact(name, name, text) if set else Trait(name=name, items=())

    def mixed(self, calls: Sequence[AggregateCall], retract: bool) -> Trait:
        """All aggregates in order, where those over all rows and over distinct values mix."""
        both = len({call.distinct for call in calls}) == 2
        items = tuple(self._call(call, retract) for call in calls) if both else ()
        return Trait(name="order of aggregates", items=items)

    def calls(self, calls: Sequence[AggregateCall], retract: bool) -> tuple[Trait, Trait]:
        """The aggregates: those over all rows, and those over distinct values."""
        items = [(self._call(call, retract), call.distinct) for call in calls]
        return (
            Trait(name="aggregate", items=tuple(item for item, distinct in items if not distinct)),
            Trait(name="distinct aggregate", items=tuple(i for i, distinct in items if distinct)),
        )

    def _call(self, call: AggregateCall, retract: bool) -> Item:
        below = self.below
        text = aggregate_meaning(call, below)
        args = ", ".join(meaning(arg, below) for arg in call.args)
        filter = "" if call.filter is None else meaning(call.filter, below)
        held = () if call.function in STATELESS else _held(call, below, retract)
        return Item(
            meaning=text,
            text=self.reader.call(call, self.readings),
            type=", ".join(type for _, type in held) or type_text(call.type),
            position=call.position or self.node.position,
            like=(f"{call.function}({args})", f"({args}){filter}", f"{call.function}{filter}"),
            columns=tuple(text for text, _ in held),
            outputs=self.outputs(text),
        )

    def order(self, name: str, keys: Sequence[SortKey]) -> Trait:
        """Keys of an ordering, with their directions."""
        below, items = self.below, []
        for key in keys:
            text = self.reader.expression(key.expression, self.readings)
            items.append(
                Item(
                    meaning=order_meaning([key], below),
                    text=f"{text} {'DESC' if key.descending else 'ASC'}",
                    type=type_text(key.expression.type),
                    position=place(key.expression) or self.node.position,
                    like=(meaning(key.expression, below),),
                )
            )
        return Trait(name=name, items=tuple(items))

    def pairs(self, left: Sequence[str], right: Sequence[str], safe: Sequence[bool]) -> Trait:
        """The equalities of a join."""
        one, two = self.node.inputs
        items = []
        for a, b, null_safe in zip(left, right, safe, strict=True):
            sign = "IS NOT DISTINCT FROM" if null_safe else "="
            shown = f"{self.reader.of(one)[a]} {sign} {self.reader.of(two)[b]}"
            text = f"{one.meanings()[a]} {sign} {two.meanings()[b]}"
            items.append(Item(meaning=text, text=shown, position=self.node.position))
        return Trait(name="equality", items=tuple(items))

    def conditions(self, condition: Expression | None) -> tuple[Trait, Trait]:
        """What else must hold of a pair: parts that read both sides, and parts that read one."""
        sides = [set(node.schema.names) for node in self.node.inputs]
        one: list[Item] = []
        both: list[Item] = []
        for part in () if condition is None else parts_of(condition):
            item = Item(
                meaning=meaning(part, self.below),
                text=self.reader.expression(part, self.readings),
                position=place(part) or self.node.position,
            )
            (one if any(columns(part) <= side for side in sides) else both).append(item)
        return (
            Trait(name="condition", items=tuple(both)),
            Trait(name="one-sided condition", items=tuple(one)),
        )

    def sides(self) -> tuple[Trait, Trait]:
        """The columns of both sides of a join."""
        left, right = self.node.inputs
        return self.side("left column", left), self.side("right column", right)

    def side(self, name: str, node: PhysicalNode) -> Trait:
        """The columns of one side."""
        meanings, readings, items = node.meanings(), self.reader.of(node), []
        for f in node.schema:
            found = self.places.expressions.get(meanings[f.name]) or self.node.position
            items.append(
                Item(
                    meaning=meanings[f.name],
                    text=readings[f.name],
                    type=type_text(f.type),
                    position=found,
                    like=(f.name,),
                )
            )
        return Trait(name=name, items=tuple(items))


def _held(call: AggregateCall, below: Meanings, retract: bool) -> list[tuple[str, str]]:
    """Meaning and type of the state columns of a call."""
    first, *beside = aggregate_state(
        keys=(),
        calls=(call,),
        retract=retract,
        below=below,
        scope=RowScope(sources=()),
        ttl=None,
    )
    own = first.values[: len(accumulator_columns(call, retract))]
    found = (*own, *(column for table in beside for column in table.columns))
    return [(column.meaning, type_text(column.type)) for column in found]


def type_text(type: DataType) -> str:
    """SQL type without nullability."""
    return type.name
