"""Watermarks from rows."""

from __future__ import annotations

from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stateless import SCAN, SCHEMA, changes, context, shown

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.types import INTERVAL_DAY_TIME, ROWTIME, timestamp
from sameriver.operators.operator import Operator
from sameriver.operators.watermark_assigner import watermark_assigner
from sameriver.plan.expressions import Call, Column, Expression, Literal
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner

TS = Column("ts", ROWTIME)


def assigner(
    expression: Expression | None = TS, *, on_event: bool = False, interval: str = "0 ms"
) -> Operator:
    node = WatermarkAssigner(
        schema=SCHEMA, input=SCAN, column="ts", expression=expression, on_event=on_event
    )
    return watermark_assigner(node, context(pipeline_auto__watermark__interval=interval))


def rows(*times: int | None) -> Changes:
    return changes(*(("a", 0, time) for time in times))


def after(events: list[object]) -> list[int]:
    """The watermark after each row of a batch with such a column."""
    (batch,) = events
    assert isinstance(batch, list)
    return [time for _, time in batch]


def test_the_highest_value_follows_the_batch() -> None:
    operator = assigner()
    assert shown(list(operator.process(0, rows(3, 9, 5))))[1:] == [9]


def test_a_watermark_that_does_not_move_is_not_repeated() -> None:
    operator = assigner()
    list(operator.process(0, rows(9)))
    assert len(list(operator.process(0, rows(8, 9)))) == 1


def test_a_delay_is_taken_off() -> None:
    delay = Literal(timedelta(milliseconds=4), INTERVAL_DAY_TIME)
    operator = assigner(Call("-", (TS, delay), ROWTIME.plain))
    assert shown(list(operator.process(0, rows(9))))[1:] == [5]


def test_on_event_each_row_carries_the_watermark_after_it() -> None:
    operator = assigner(on_event=True)
    assert after(shown(list(operator.process(0, rows(3, 1, 9, 9))))) == [3, 3, 9, 9]
    assert after(shown(list(operator.process(0, rows(2, 10))))) == [9, 10]


def test_small_steps_are_held_back_on_event() -> None:
    operator = assigner(on_event=True, interval="200 ms")
    times = rows(1000, 1100, 1200, 1201, 1300)
    assert after(shown(list(operator.process(0, times)))) == [1000, 1000, 1000, 1201, 1201]


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=30), st.integers(1, 20), st.integers(0, 30)
)
def test_held_back_steps_are_those_of_a_row_by_row_reading(
    times: list[int], interval: int, cut: int
) -> None:
    expected, last, high = [], -(2**63), -(2**63)
    for time in times:
        high = max(high, time)
        if high - last > interval:
            last = high
        expected.append(last)
    operator = assigner(on_event=True, interval=f"{interval} ms")
    found = []
    for part in (times[:cut], times[cut:]):
        if part:
            found += after(shown(list(operator.process(0, rows(*part)))))
    assert found == expected


def test_fractions_of_a_millisecond_are_floored() -> None:
    exact = pl.Series("ts", [datetime(1969, 12, 31, 23, 59, 59, 999_500)], dtype=pl.Datetime("us"))
    operator = assigner(Column("ts", timestamp(6)))
    frame = rows(0).rows.with_columns(exact)
    assert shown(list(operator.process(0, Changes(frame))))[1:] == [-1]


def test_null_of_the_expression_is_no_watermark() -> None:
    null = Literal(None, timestamp(3))
    assert len(list(assigner(null).process(0, rows(5)))) == 1


@pytest.mark.parametrize("expression", [TS, None])
def test_a_null_event_time_fails_the_job(expression: Expression | None) -> None:
    with pytest.raises(ExternalError, match=r"table 'Orders' has NULL in .* column 'ts'"):
        list(assigner(expression).process(0, rows(1, None)))


def test_the_sources_own_watermarks_pass() -> None:
    operator = assigner(None)
    assert not operator.assigns
    batch = changes(("a", 0, 5), watermarks=[4])
    assert list(operator.process(0, batch)) == [batch]
