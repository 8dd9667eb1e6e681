"""What a query within an expression stands for: a value, EXISTS, IN, a comparison with ANY or ALL.

Each becomes columns beside every row of the query around it, which the expression reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, BOOLEAN, DataType
from sameriver.functions.single_value import SINGLE_VALUE
from sameriver.plan import logical
from sameriver.plan.bind.around import Around
from sameriver.plan.bind.calls import call, equality
from sameriver.plan.bind.context import Environment
from sameriver.plan.bind.query_joins import exists_beside, row_beside
from sameriver.plan.expressions import (
    AggregateCall,
    Call,
    Column,
    Expression,
    Literal,
    Named,
)
from sameriver.plan.logical import Logical

_TRUE = Literal(True, BOOLEAN.not_null)
_FALSE = Literal(False, BOOLEAN.not_null)
_UNKNOWN = Literal(None, BOOLEAN)
_COUNT = BIGINT.not_null
_NONE = Literal(0, _COUNT)


@dataclass(frozen=True, slots=True)
class RowValue:
    """The only column of the only row of a query; NULL without a row."""

    name: str
    plan: Logical
    position: Position | None

    def bind(self, environment: Environment) -> Expression:
        return Column(self.name, self.plan.schema.fields[0].type.plain.with_nullable(True))

    def beside(self, around: Around) -> Logical:
        return row_beside(around, only_row(self.plan, self.name, self.position))


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a query has a row."""

    name: str
    plan: Logical

    def bind(self, environment: Environment) -> Expression:
        return Column(self.name, BOOLEAN.not_null)

    def beside(self, around: Around) -> Logical:
        return exists_beside(around, self.plan, (), self.name)


@dataclass(eq=False, slots=True)
class Member:
    """``values IN (query)``.

    Attributes:
        positive: whether it is asked in a way that tells FALSE and NULL not apart.
        negated: NOT IN.
    """

    name: str
    plan: Logical
    values: Sequence[exp.Expr]
    positive: bool
    negated: bool
    bound: tuple[Expression, ...] = field(default=())

    def bind(self, environment: Environment) -> Expression:
        """NULL where it can't be told: for a NULL value, or one that is not among members of
        which one is NULL."""
        self.bound = tuple(environment.bind(value) for value in self.values)
        found = Column(self.name, BOOLEAN.not_null)
        if not self._open():
            return call("NOT", [found]) if self.negated else found
        rows, known = _padded(self._counts().schema)
        unknown = [call("<", [known, rows])]
        unknown += [
            call("AND", [call("IS NULL", [v]), call(">", [rows, _NONE])])
            for v in self.bound
            if v.type.nullable
        ]
        maybe = call("OR", unknown) if len(unknown) > 1 else unknown[0]
        yes, no = (_FALSE, _TRUE) if self.negated else (_TRUE, _FALSE)
        return call("CASE", [found, yes, maybe, _UNKNOWN, no])

    def beside(self, around: Around) -> Logical:
        members = (Column(f.name, f.type) for f in self.plan.schema)
        pairs = zip(self.bound, members, strict=True)
        tests = [equality(around.raised(value), member) for value, member in pairs]
        node = exists_beside(around, self.plan, tests, self.name)
        return row_beside(around.over(node), self._counts()) if self._open() else node

    def _open(self) -> bool:
        """Whether NULL is a possible answer that counts."""
        types = [*(v.type for v in self.bound), *(f.type for f in self.plan.schema)]
        return (self.negated or not self.positive) and any(type.nullable for type in types)

    def _counts(self) -> logical.Aggregate:
        (member,) = self.plan.schema
        column = Column(member.name, member.type.plain)
        return _aggregate(
            self.plan,
            [
                (f"{self.name}_rows", "COUNT", (), _COUNT),
                (f"{self.name}_known", "COUNT", (column,), _COUNT),
            ],
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """``value > ANY (query)`` and its like; by the least or the greatest member.

    Attributes:
        operator: ``<``, ``<=``, ``>`` or ``>=``.
        every: ALL rather than ANY.
    """

    name: str
    plan: Logical
    value: exp.Expr
    operator: str
    every: bool

    def bind(self, environment: Environment) -> Expression:
        value = environment.bind(self.value)
        extreme, rows, known = _padded(self._extreme().schema)
        holds = call(self.operator, [value, extreme])
        decided = call("NOT", [holds]) if self.every else holds
        answer, other = (_FALSE, _TRUE) if self.every else (_TRUE, _FALSE)
        return call(
            "CASE",
            [
                call("=", [call("COALESCE", [rows, _NONE]), _NONE]),
                other,
                decided,
                answer,
                call("OR", [call("IS NULL", [value]), call("<", [known, rows])]),
                _UNKNOWN,
                other,
            ],
        )

    def beside(self, around: Around) -> Logical:
        return row_beside(around, self._extreme())

    def _extreme(self) -> logical.Aggregate:
        (member,) = self.plan.schema
        column = Column(member.name, member.type.plain)
        least = self.operator.startswith("<") is self.every
        return _aggregate(
            self.plan,
            [
                (self.name, "MIN" if least else "MAX", (column,), column.type.with_nullable(True)),
                (f"{self.name}_rows", "COUNT", (), _COUNT),
                (f"{self.name}_known", "COUNT", (column,), _COUNT),
            ],
        )


Value = RowValue | Exists | Member | Comparison


def only_row(plan: Logical, name: str, at: Position | None) -> Logical:
    """A plan of at most one row, whose only column has this name; more rows are an error."""
    (only,) = plan.schema
    column: Expression = Column(only.name, only.type.plain)
    if not _at_most_one(plan):
        type = column.type.with_nullable(True)
        plan = _aggregate(
            plan, [("$count", "COUNT", (), _COUNT), ("$last", "LAST_VALUE", (column,), type)]
        )
        count, last = (Column(f.name, f.type) for f in plan.schema)
        column = Call(SINGLE_VALUE.name, (count, last), type, SINGLE_VALUE, position=at)
    return logical.Project(input=plan, columns=(Named(name, column),))


def _padded(schema: Schema) -> list[Column]:
    """The columns of a query of one row beside rows that may find none: a stream without rows
    has no aggregate, not even a COUNT of 0."""
    return [Column(f.name, f.type.with_nullable(True)) for f in schema]


def _at_most_one(plan: Logical) -> bool:
    """Whether a plan gives one row at most, whatever it reads."""
    match plan:
        case logical.Project(input=below) | logical.Filter(input=below):
            return _at_most_one(below)
        case logical.Aggregate(keys=keys, sets=sets):
            return not keys and sets is None
        case logical.Values(rows=rows):
            return len(rows) <= 1
    return False


def _aggregate(
    plan: Logical, calls: Sequence[tuple[str, str, tuple[Expression, ...], DataType]]
) -> logical.Aggregate:
    return logical.Aggregate(
        input=plan,
        keys=(),
        calls=tuple(
            AggregateCall(name=name, function=function, args=args, type=type)
            for name, function, args, type in calls
        ),
        schema=Schema.of([(name, type) for name, _, _, type in calls]),
    )
