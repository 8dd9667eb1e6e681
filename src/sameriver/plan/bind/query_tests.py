"""Tests by a query: ``[NOT] IN``, ``[NOT] EXISTS``, ``= ANY``, ``<> ALL``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.sql.nodes import position


@dataclass(frozen=True, slots=True)
class Test:
    """``[NOT] values IN (query)``, or ``[NOT] EXISTS (query)`` (no values)."""

    query: exp.Expr
    values: tuple[exp.Expr, ...] | None
    negated: bool


def test_of(node: exp.Expr) -> Test | None:
    """The test that a condition is; None: another condition."""
    match node:
        case exp.Paren():
            return test_of(node.this)
        case exp.Not():
            test = test_of(node.this)
            return None if test is None else replace(test, negated=not test.negated)
        case exp.Exists():
            return Test(bare(node.this), None, False)
        case exp.In() if node.args.get("query") is not None:
            return Test(bare(node.args["query"]), _values(node.this), False)
        case exp.EQ(expression=exp.Any(this=exp.Subquery() as query)):
            return Test(bare(query), _values(node.this), False)
        case exp.NEQ(expression=exp.All(this=exp.Subquery() as query)):
            return Test(bare(query), _values(node.this), True)
    return None


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of nested AND, left to right."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, exp.And):
            pending += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            pending.append(part.this)
        else:
            yield part


def bare(query: exp.Expr) -> exp.Expr:
    """A query without its parentheses."""
    while isinstance(query, exp.Subquery) and not query.args.get("with_"):
        query = query.this
    return query


def check_width(query: exp.Expr, wanted: int, found: int) -> None:
    """Refuses a query that has not as many columns as it is compared with.

    Raises:
        UserError: WRONG_NUMBER_OF_COLUMNS.
    """
    if wanted != found:
        raise UserError(
            "WRONG_NUMBER_OF_COLUMNS",
            f"IN compares {wanted} value{'s' * (wanted > 1)} with a query of {found} columns",
            hint="Select as many columns as stand before IN.",
            position=position(query),
        )


def _values(node: exp.Expr) -> tuple[exp.Expr, ...]:
    row = isinstance(node, exp.Anonymous) and node.name == "ROW"
    return tuple(node.expressions) if row else (node,)
