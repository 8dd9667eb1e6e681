"""Completes a changelog by the rows that it leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from sameriver.common.changes import ChangeKind, Changes
from sameriver.operators.changed import changed
from sameriver.operators.latest import latest
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize
from sameriver.state.row_lists import RowLists


class ChangelogNormalizeOperator(Operator):
    """+I for the first row of a key, then -U and +U; -D gives the row that was stored.

    As in Flink: of a row that is deleted only the key counts; a delete of an unknown key is
    dropped, and so is a row that equals the stored one, unless there is a TTL. -U says nothing
    that is not known.
    """

    def __init__(self, node: ChangelogNormalize, context: OperatorContext) -> None:
        super().__init__(context)
        (table,) = node.state()
        self._rows = RowLists(table, node.schema, keys=node.keys, told_by=(), now=context.clock.now)
        self._folded, self._quiet = node.folded, node.ttl is None
        context.store.register(self._rows)

    def process(self, port: int, changes: Changes) -> Iterator[Changes]:
        if changes.kinds is not None:
            changes = changes.filter(changes.kinds != ChangeKind.UPDATE_BEFORE)
        out = latest(self._rows, changes, folded=self._folded)
        if self._quiet:
            out = changed(out)
        if len(out):
            yield out
