"""What a statement gives: a changelog that is read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.functions.failure import evaluating
from sameriver.session.materialize import materialize
from sameriver.session.render import rows_as_json
from sameriver.sql.statements import Query, Statement

_DATES = "Dates reach from year 1 to 9999 here."


class Result:
    """The rows of a statement.

    A query runs while its result is read, and only once: take its ``batches``, its ``changes``,
    its ``rendered`` rows, or the table they add up to. Results of other statements are small
    tables. Close a result that is not read to its end, or use it as a context manager.

    Attributes:
        schema: names and SQL types of the columns.
        statement: what was executed.
        zone: the session's zone, in which TIMESTAMP_LTZ is printed.
    """

    def __init__(
        self,
        schema: Schema,
        batches: Iterator[Changes],
        statement: Statement,
        zone: ZoneInfo,
    ) -> None:
        self.schema = schema
        self.statement = statement
        self.zone = zone
        self._batches = batches
        self._taken = False
        self._table: pl.DataFrame | None = None

    def __repr__(self) -> str:
        columns = ", ".join(f"{field.name} {field.type}" for field in self.schema)
        return f"Result({columns})"

    @property
    def is_query(self) -> bool:
        """Whether this is the changelog of a SELECT."""
        return isinstance(self.statement, Query)

    def batches(self) -> Iterator[Changes]:
        """The changelog as it comes, in columns.

        Raises:
            UserError: RESULT_READ if it was read before.
            SameriverError: the job failed.
        """
        if self._taken:
            raise UserError(
                "RESULT_READ",
                "this result has been read already",
                hint="A query runs once: keep what 'to_polars()' gives, or run it again.",
            )
        self._taken = True
        return self._batches

    def changes(self) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Kind (``+I``, ``-U``, ``+U``, ``-D``) and Python values of each change."""
        for batch in self.batches():
            with evaluating("Python", _DATES, also=(ValueError, OverflowError)):
                rows = batch.rows.rows()
            yield from zip(symbols(batch), rows, strict=True)

    def rendered(self) -> Iterator[tuple[Sequence[str], Sequence[Sequence[object]]]]:
        """Kinds and rows of each batch, values as Flink's client prints them."""
        for batch in self.batches():
            with evaluating("printing", _DATES):
                rows = rows_as_json(batch.rows, self.schema, self.zone)
            yield symbols(batch), rows

    def to_polars(self) -> pl.DataFrame:
        """The table that all changes add up to, at the end of bounded input."""
        if self._table is None:
            self._table = materialize(self.batches(), self.schema)
        return self._table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The materialised table, for anything that reads Arrow C streams."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Stops the query, if it still runs."""
        self._taken = True
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def symbols(changes: Changes) -> list[str]:
    """The kind of each row as text."""
    if changes.kinds is None:
        return [SYMBOLS[0]] * len(changes)
    return [SYMBOLS[kind] for kind in changes.kinds]
