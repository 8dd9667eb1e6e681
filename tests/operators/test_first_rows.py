"""What a ranking needs of a batch, against sorting the rows of each key."""

from __future__ import annotations

import polars as pl
import pytest
from grouping import Source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import Session
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, DOUBLE, STRING, DataType
from sameriver.operators.first_rows import FirstRows
from sameriver.plan.expressions import Column, SortKey
from sameriver.plan.physical.top_n import TopN

VALUES = st.sampled_from([1, 2, 3, None])
ROWS = st.lists(st.tuples(st.sampled_from(["p", "q", None]), VALUES, VALUES), max_size=30)
KEYS = st.tuples(st.booleans(), st.booleans())


def ranking(
    type: DataType = BIGINT,
    keys: tuple[tuple[bool, bool], ...] = ((True, False), (False, True)),
    *,
    partition: tuple[str, ...] = ("k",),
    end: int = 1,
    function: str = "ROW_NUMBER",
    retract: bool = False,
    folded: bool = True,
) -> TopN:
    schema = Schema.of([("k", STRING), ("v", type), ("w", type)])
    order = tuple(
        SortKey(Column(name, type), descending, first)
        for name, (descending, first) in zip("vw", keys, strict=True)
    )
    return TopN(
        schema=schema,
        input=Source(schema=schema),
        function=function,
        partition=partition,
        order=order,
        start=1,
        end=end,
        rank=None,
        retract=retract,
        folded=folded,
        ttl=None,
    )


def expected(node: TopN, rows: list[tuple[str | None, int | None, int | None]]) -> list[int]:
    def place(row: int) -> tuple[tuple[bool, int], ...]:
        return tuple(
            (
                (value is None) != key.nulls_first,
                0 if value is None else -value if key.descending else value,
            )
            for value, key in zip(rows[row][1:], node.order, strict=True)
        )

    found: list[int] = []
    for key in {row[:1] if node.partition else () for row in rows}:
        same = [n for n, row in enumerate(rows) if not node.partition or row[:1] == key]
        found += sorted(same, key=place)[: node.end]
    return sorted(found)


@settings(max_examples=150, deadline=None)
@given(
    rows=ROWS,
    keys=st.tuples(KEYS, KEYS),
    end=st.integers(1, 3),
    type=st.sampled_from([BIGINT, DOUBLE, STRING]),
    partition=st.sampled_from([(), ("k",)]),
)
def test_keeps_the_first_rows_of_each_key(
    rows: list[tuple[str | None, int | None, int | None]],
    keys: tuple[tuple[bool, bool], tuple[bool, bool]],
    end: int,
    type: DataType,
    partition: tuple[str, ...],
) -> None:
    node = ranking(type, keys, partition=partition, end=end)
    need = FirstRows.of(node)
    assert need is not None
    assert need.columns == {*partition, "v", "w"}
    schema = {"k": pl.String, "v": pl.Int64, "w": pl.Int64}
    frame = pl.DataFrame(rows, schema, orient="row").cast(node.schema.to_polars())
    assert need.numbers(frame).tolist() == expected(node, rows)


@pytest.mark.parametrize(
    "node", [ranking(retract=True), ranking(folded=False), ranking(function="RANK")]
)
def test_needs_all_rows_where_any_may_show(node: TopN) -> None:
    assert FirstRows.of(node) is None


def test_a_join_that_two_queries_read_gives_all_of_its_rows() -> None:
    session = Session()
    session.execute(
        """
        CREATE TABLE a (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1',
          'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '1');
        CREATE TABLE b (v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '5',
          'fields.v.kind' = 'sequence', 'fields.v.start' = '1', 'fields.v.end' = '5');
        CREATE VIEW pairs AS SELECT id, v FROM a JOIN b ON b.v >= a.id;
        """
    )
    table = session.sql(
        """
        SELECT 'first' AS what, v FROM (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY v DESC) AS place FROM pairs
        ) WHERE place <= 1
        UNION ALL SELECT 'all', v FROM pairs
        """
    ).to_polars()
    assert sorted(table.rows()) == [*(("all", v) for v in range(1, 6)), ("first", 5)]
