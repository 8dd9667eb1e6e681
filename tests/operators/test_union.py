from __future__ import annotations

from stateless import SCAN, SCHEMA, changes, context

from sameriver.common.changes import Changes
from sameriver.common.schema import Schema
from sameriver.operators.union import UnionOperator
from sameriver.plan.physical.union import Union


def test_columns_are_matched_by_position() -> None:
    schema = Schema.of(zip(["x", "n", "k"], SCHEMA.types, strict=True))
    operator = UnionOperator(Union(schema=schema, branches=(SCAN, SCAN)), context())
    (event,) = operator.process(1, changes(("a", 1, 0), watermarks=[5]))
    assert isinstance(event, Changes)
    assert event.rows.columns == ["x", "n", "k"]
    assert event.rows.row(0)[:2] == ("a", 1)
    assert event.watermarks is not None
    assert event.watermarks.to_list() == [5]
