"""UNION ALL: rows of all inputs under one schema."""

from __future__ import annotations

from collections.abc import Iterator

from sameriver.common.changes import Changes, Event
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.union import Union


class UnionOperator(Operator):
    """Renames columns by position; the engine combines the watermarks."""

    splits = True

    def __init__(self, node: Union, context: OperatorContext) -> None:
        super().__init__(context)
        self._names = node.schema.names

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        rows = changes.rows
        if tuple(rows.columns) != self._names:
            rows = rows.rename(dict(zip(rows.columns, self._names, strict=True)))
        yield changes.with_rows(rows)
