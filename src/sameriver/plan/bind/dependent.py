"""A query within a query, taken apart: what reads no column of the query around, and the rest."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BOOLEAN
from sameriver.plan.bind.calls import call
from sameriver.plan.expressions import (
    Column,
    Expression,
    Literal,
    Named,
)
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import pass_through

Default = dict[str, Expression] | None
TRUE = Literal(True, BOOLEAN.not_null)


@dataclass(frozen=True, slots=True)
class Dependent:
    """A query in terms of the one around it.

    Attributes:
        node: reads no outer column.
        tests: over the columns of the node and outer ones; rows that pass are the query's.
        outputs: the columns of the query, likewise.
        default: the only row of the query, by name, where none passes; None: there is no such row.
    """

    node: Logical
    tests: tuple[Expression, ...]
    outputs: tuple[Named, ...]
    default: Default = None

    @property
    def schema(self) -> Schema:
        """The query's columns."""
        return Schema(tuple(Field(o.name, o.expression.type) for o in self.outputs))

    @property
    def by_name(self) -> dict[str, Expression]:
        return {column.name: column.expression for column in self.outputs}


@dataclass(frozen=True, slots=True)
class Keyed:
    """A query whose tests are equalities of its keys with outer values.

    Attributes:
        node: the query's columns, then the keys.
        keys: names of the keys.
        tests: one a key.
        known: the column of the node that stands for an outer column.
    """

    node: Logical
    keys: tuple[str, ...]
    tests: tuple[Expression, ...]
    known: dict[str, Expression]

    def dependent(self, schema: Schema, default: Default = None) -> Dependent:
        """The node, or one over it that keeps its keys; ``schema`` are the query's columns."""
        return Dependent(self.node, self.tests, pass_through(schema), default)


def padded(mark: Column, value: Expression, default: Expression) -> Expression:
    """The value where the mark is there, else the default."""
    return call("CASE", [call("IS NULL", [mark]), default, value])
