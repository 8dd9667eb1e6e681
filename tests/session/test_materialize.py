"""Adding up changelogs."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import KINDS, Changes
from sameriver.common.errors import InternalError
from sameriver.common.schema import Schema
from sameriver.common.types import INT, STRING, array
from sameriver.session import materialize as module
from sameriver.session.materialize import materialize

SCHEMA = Schema.of([("k", STRING), ("n", INT)])
Row = tuple[str | None, int | None]


def changes(kinds: list[int] | None, *rows: Row) -> Changes:
    frame = pl.DataFrame(rows, schema=SCHEMA.to_polars(), orient="row")
    return Changes(frame, None if kinds is None else pl.Series(kinds, dtype=KINDS))


def test_nothing_gives_an_empty_table_of_the_schema() -> None:
    assert materialize([], SCHEMA).schema == SCHEMA.to_polars()


def test_inserts_stay_in_order_of_arrival() -> None:
    table = materialize([changes(None, ("b", 1), ("a", 2)), changes(None, ("b", 1))], SCHEMA)
    assert table.rows() == [("b", 1), ("a", 2), ("b", 1)]


def test_an_update_replaces_its_row() -> None:
    table = materialize([changes([0, 0, 1, 2], ("a", 1), ("b", 1), ("a", 1), ("a", 2))], SCHEMA)
    assert table.rows() == [("b", 1), ("a", 2)]


def test_null_is_a_value_like_any_other() -> None:
    table = materialize([changes([0, 0, 3], (None, None), (None, 1), (None, None))], SCHEMA)
    assert table.rows() == [(None, 1)]


def test_one_of_two_equal_rows_stays() -> None:
    assert materialize([changes([0, 0, 3], ("a", 1), ("a", 1), ("a", 1))], SCHEMA).rows() == [
        ("a", 1)
    ]


def test_taking_back_a_row_that_never_came_is_refused() -> None:
    with pytest.raises(InternalError, match=r"\('a', 2\) is taken back"):
        materialize([changes([0, 3], ("a", 1), ("a", 2))], SCHEMA)


def test_taking_back_a_row_before_it_comes_is_refused() -> None:
    with pytest.raises(InternalError, match="WRONG_RETRACTION"):
        materialize([changes([3, 0], ("a", 1), ("a", 1))], SCHEMA)


def test_rows_with_arrays_are_compared_by_content() -> None:
    schema = Schema.of([("a", array(INT))])
    frame = pl.DataFrame({"a": [[1], [2], [1]]}, schema=schema.to_polars())
    kinds = pl.Series([0, 0, 3], dtype=KINDS)
    assert materialize([Changes(frame, kinds)], schema).rows() == [([2],)]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 2), st.booleans()), max_size=40
    ),
    st.integers(1, 7),
)
def test_agrees_with_counting(steps: list[tuple[str | None, int, bool]], size: int) -> None:
    counted: Counter[Row] = Counter()
    log: list[tuple[int, Row]] = []
    for key, number, back in steps:
        row = (key, number)
        if not back or counted[row] > 0:
            counted[row] += -1 if back else 1
            log.append((3 if back else 0, row))
    parts = [log[i : i + size] for i in range(0, len(log), size)]
    batches = [changes([kind for kind, _ in part], *(row for _, row in part)) for part in parts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FOLD", 5)
        assert Counter(materialize(batches, SCHEMA).rows()) == +counted
