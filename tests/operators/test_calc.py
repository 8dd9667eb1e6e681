"""Filters and projections."""

from __future__ import annotations

import polars as pl
from stateless import SCAN, SCHEMA, Row, changes, context, shown

from sameriver.common.changes import Changes
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, BOOLEAN, INT, PROCTIME, STRING
from sameriver.operators.calc import CalcOperator
from sameriver.operators.compile import NOW
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.physical.calc import Calc

K, N = Column("k", STRING), Column("n", BIGINT)
POSITIVE = Call(">", (N, Literal(0, BIGINT)), BOOLEAN)
A: Row = ("a", 1, 0)
B: Row = ("b", -1, 0)
C: Row = ("c", 2, 0)
UNKNOWN: Row = ("u", None, 0)


def calc(*columns: Named, condition: Expression | None = None) -> CalcOperator:
    schema = Schema(tuple(Field(c.name, c.expression.type) for c in columns))
    node = Calc(schema=schema, input=SCAN, columns=columns, condition=condition)
    return CalcOperator(node, context())


def test_columns_are_computed_and_renamed() -> None:
    plus = Call("+", (N, Literal(1, BIGINT)), BIGINT)
    operator = calc(Named("m", plus), Named("n", K))
    (event,) = operator.process(0, changes(A, UNKNOWN))
    assert shown([event]) == [[(2, "a"), (None, "u")]]


def test_a_literal_is_repeated_for_each_row() -> None:
    operator = calc(Named("one", Literal(1, INT)))
    (event,) = operator.process(0, changes(A, B))
    assert isinstance(event, Changes)
    assert event.rows.schema == {"one": pl.Int32}
    assert event.rows.rows() == [(1,), (1,)]


def test_rows_without_columns_keep_their_number() -> None:
    (event,) = calc().process(0, changes(A, B))
    assert isinstance(event, Changes)
    assert len(event) == 2


def test_a_filter_drops_false_and_unknown() -> None:
    operator = calc(Named("k", K), condition=POSITIVE)
    assert shown(list(operator.process(0, changes(A, B, UNKNOWN, C)))) == [[("a",), ("c",)]]


def test_a_filter_works_change_by_change() -> None:
    operator = calc(Named("k", K), condition=POSITIVE)
    (event,) = operator.process(0, changes(B, A, kinds=[1, 2]))
    assert isinstance(event, Changes)
    assert event.kinds is not None
    assert event.kinds.to_list() == [2]


def test_a_constant_condition_holds_for_all_rows() -> None:
    operator = calc(Named("k", K), condition=Literal(True, BOOLEAN))
    assert shown(list(operator.process(0, changes(A, B)))) == [[("a",), ("b",)]]


def test_dropped_rows_still_move_the_watermark() -> None:
    operator = calc(Named("k", K), condition=POSITIVE)
    events = list(operator.process(0, changes(B, A, B, C, B, watermarks=[1, 2, 3, 4, 5])))
    assert shown(events) == [1, [(("a",), 3), (("c",), 5)]]


def test_a_batch_that_is_dropped_whole_leaves_its_watermark() -> None:
    operator = calc(Named("k", K), condition=POSITIVE)
    assert shown(list(operator.process(0, changes(B, B, watermarks=[1, 7])))) == [7]


def test_the_clock_is_read_once_a_batch() -> None:
    operator = calc(Named("p", Call("PROCTIME", (), PROCTIME)))
    (event,) = operator.process(0, changes(A, B))
    assert isinstance(event, Changes)
    assert NOW not in event.rows.columns
    assert event.rows["p"].to_physical().to_list() == [1000, 1000]


def test_input_columns_pass_unchanged() -> None:
    operator = calc(*(Named(field.name, Column(field.name, field.type)) for field in SCHEMA))
    batch = changes(A, B)
    (event,) = operator.process(0, batch)
    assert isinstance(event, Changes)
    assert event.rows.equals(batch.rows)
