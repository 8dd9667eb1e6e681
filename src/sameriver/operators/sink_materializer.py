"""Brings the rows of a query under the primary key of a sink."""

from __future__ import annotations

from collections.abc import Iterator

from sameriver.common.changes import ChangeKind, Changes
from sameriver.operators.latest import latest
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.sink_materializer import SinkMaterializer
from sameriver.state.row_lists import RowLists


class SinkMaterializerOperator(Operator):
    """Of all rows of a key that are there, the one that came last is shown.

    When it goes, the one before it comes back with +U; when none is left, -D comes. As in Flink, a
    row that is taken back but not there is passed over.
    """

    def __init__(self, node: SinkMaterializer, context: OperatorContext) -> None:
        super().__init__(context)
        (table,) = node.state()
        self._rows = RowLists(
            table,
            node.schema,
            keys=node.keys,
            told_by=node.upsert_key or None,
            now=context.clock.now,
        )
        self._folded = node.folded
        context.store.register(self._rows)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        out = latest(self._rows, changes, folded=self._folded)
        out = out.filter(out.kinds_or_inserts() != ChangeKind.UPDATE_BEFORE)
        if len(out):
            yield out
