from __future__ import annotations

import pytest
from stateless import SCAN, SCHEMA, changes, context

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Field
from sameriver.operators.sink import SinkOperator
from sameriver.plan.physical.sink import Sink
from sameriver.plan.table import Table


def operator(written: list[Changes], *, required: bool, **options: str) -> SinkOperator:
    physical = tuple(
        Field(f"sink_{field.name}", field.type.with_nullable(not required)) for field in SCHEMA
    )
    table = Table(name="Out", schema=SCHEMA, physical=physical)
    return SinkOperator(
        Sink(schema=SCHEMA, input=SCAN, table=table), context(**options), written.append
    )


def test_batches_are_written_and_rows_counted() -> None:
    written: list[Changes] = []
    sink = operator(written, required=False)
    batch = changes(("a", None, 0), ("b", 1, 0))
    assert list(sink.process(0, batch)) == []
    assert written == [batch]
    assert sink.context.counters["rows_out"] == 2


def test_null_in_a_not_null_column_fails_the_job() -> None:
    written: list[Changes] = []
    with pytest.raises(ExternalError, match="'sink_n' came to table 'Out'"):
        operator(written, required=True).process(0, changes(("a", None, 0)))
    assert written == []


def test_null_in_a_not_null_column_drops_the_row_if_asked_to() -> None:
    written: list[Changes] = []
    sink = operator(written, required=True, table_exec_sink_not__null__enforcer="drop")
    sink.process(0, changes(("a", None, 0), ("b", 1, 0), (None, None, 0), kinds=[0, 2, 3]))
    assert [batch.rows["k"].to_list() for batch in written] == [["b"]]
    assert sink.context.counters == {"null_rows": 2, "rows_out": 1}
    sink.process(0, changes((None, 1, 0)))
    assert len(written) == 1
