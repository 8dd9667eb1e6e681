"""Hands a changelog to a table's sink."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

import polars as pl

from sameriver.common.changes import Changes, Event
from sameriver.common.errors import ExternalError
from sameriver.operators.blame import rows_text
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.physical.sink import Sink

_ENFORCER = "table.exec.sink.not-null-enforcer"


class SinkOperator(Operator):
    """Writes each batch; counts ``rows_out``.

    NULL in a NOT NULL column of a table fails the job, as in Flink, or with
    ``table.exec.sink.not-null-enforcer`` = DROP drops the row and counts ``null_rows``.
    """

    splits = True

    def __init__(
        self, node: Sink, context: OperatorContext, write: Callable[[Changes], None]
    ) -> None:
        super().__init__(context)
        self._write = write
        self._table = "" if node.table is None else node.table.name
        written = () if node.table is None else node.table.written
        self._required = [
            (column, field.name, place)
            for column, field, place in zip_longest(node.schema.names, written, node.places)
            if field is not None and not field.type.nullable
        ]
        self._drops = context.config[_ENFORCER].strip().upper() == "DROP"

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        for column, name, place in self._required:
            given = changes.rows.get_column(column)
            if given.null_count():
                if not self._drops:
                    raise self._refusal(changes.rows.filter(given.is_null()), name).at(place)
                self.context.counters["null_rows"] += given.null_count()
                changes = changes.filter(given.is_not_null())
        if len(changes):
            self._write(changes)
        self.context.counters["rows_out"] += len(changes)
        return iter(())

    def _refusal(self, rows: pl.DataFrame, name: str) -> ExternalError:
        return ExternalError(
            "NULL_IN_NOT_NULL_COLUMN",
            f"a row with NULL in column '{name}' came to table '{self._table}', "
            "which declares it NOT NULL",
            hint=f"{rows_text(rows, rows.columns)}Declare '{name}' without NOT NULL, filter such"
            f" rows out, or SET '{_ENFORCER}' = 'DROP'.",
        )
