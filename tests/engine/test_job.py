"""The engine, driven by hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import polars as pl
import pytest
from engine_pieces import (
    BUCKETS,
    EVENTS,
    Alarm,
    Buckets,
    BucketsOperator,
    Collector,
    events,
    job,
    scan,
    sink,
    watermarked,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import MAX_WATERMARK, Changes
from sameriver.common.config import Config
from sameriver.common.errors import ExternalError, InternalError
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, INT, STRING
from sameriver.connectors.connector import SourceBatch
from sameriver.engine.job import Job
from sameriver.engine.snapshot import JobState
from sameriver.plan.expressions import Literal
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.values import Values


@pytest.fixture(autouse=True, scope="module")
def threads() -> Iterator[None]:
    """Shards run in threads here, however few rows they get."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sameriver.engine.vertex.FEW", 0)
        yield


def buckets(below: PhysicalNode) -> Buckets:
    return Buckets(schema=BUCKETS, input=below)


def union(*branches: PhysicalNode) -> PhysicalNode:
    return Union(schema=branches[0].schema, branches=branches)


def test_rows_wait_for_the_watermark_and_the_end_releases_the_rest() -> None:
    source, out = scan(), Collector()
    run = job(sink(buckets(watermarked(source))), collector=out)
    run.push_rows(source, events(("a", 1), ("a", 5), ("b", 12)))
    assert out.rows() == [("a", 0, 2)]
    run.finish(source)
    assert out.rows() == [("a", 0, 2), ("b", 1, 1)]


def test_periodic_watermark_comes_after_the_batch() -> None:
    source, out = scan(), Collector()
    run = job(sink(buckets(watermarked(source))), collector=out)
    run.push_rows(source, events(("a", 25), ("a", 5)))
    assert out.rows() == [("a", 0, 1)]
    assert run.counters()["late_rows"] == 0


def test_on_event_watermark_comes_after_each_row() -> None:
    source, out = scan(), Collector()
    run = job(sink(buckets(watermarked(source, on_event=True))), collector=out)
    run.push_rows(source, events(("a", 25), ("a", 5)))
    assert out.rows() == []
    assert run.counters()["late_rows"] == 1


def test_watermark_is_the_lowest_of_all_inputs() -> None:
    left, right, out = scan("l"), scan("r"), Collector()
    both = union(watermarked(left), watermarked(right))
    run = job(sink(buckets(both)), collector=out)
    run.push_rows(left, events(("a", 5), ("a", 30)))
    assert out.rows() == []
    run.push_rows(right, events(("b", 19)))
    assert out.rows() == [("a", 0, 1), ("b", 1, 1)]


def test_a_finished_input_does_not_hold_the_watermark_back() -> None:
    left, right, out = scan("l"), scan("r"), Collector()
    run = job(sink(buckets(union(watermarked(left), watermarked(right)))), collector=out)
    run.push_rows(left, events(("a", 5), ("a", 30)))
    run.finish(right)
    assert out.rows() == [("a", 0, 1)]


def test_an_idle_input_does_not_hold_the_watermark_back_until_it_speaks() -> None:
    left, right, out = scan("l"), scan("r"), Collector()
    run = job(sink(buckets(union(watermarked(left), watermarked(right)))), collector=out)
    run.push_rows(left, events(("a", 5), ("a", 30)))
    run.idle(right)
    assert out.rows() == [("a", 0, 1)]
    run.push_rows(right, events(("b", 31)))
    run.push_rows(left, events(("a", 99)))
    assert run.output_watermark() == 31


def test_on_event_watermarks_of_two_inputs_combine_row_by_row() -> None:
    left, right, out = scan("l"), scan("r"), Collector()
    both = union(watermarked(left, on_event=True), watermarked(right, on_event=True))
    run = job(sink(buckets(both)), collector=out)
    run.push_rows(right, events(("b", 15)))
    run.push_rows(left, events(("a", 30), ("a", 5)))
    assert run.counters()["late_rows"] == 1
    assert run.output_watermark() == 15


def test_the_same_input_twice_arrives_twice() -> None:
    source, out = scan(), Collector()
    below = watermarked(source)
    run = job(sink(buckets(union(below, below))), collector=out)
    run.push_rows(source, events(("a", 5)))
    run.finish(source)
    assert out.rows() == [("a", 0, 2)]


def test_equal_nodes_run_once_but_each_root_writes() -> None:
    out = Collector()
    run = job(sink(watermarked(scan())), sink(watermarked(scan())), collector=out)
    assert len(run.sources) == 1
    run.push_rows(run.sources[0], events(("a", 5)))
    assert len(out.rows()) == 2


def test_a_source_may_give_the_watermark_itself() -> None:
    source, out = scan(), Collector()
    run = job(sink(buckets(source)), collector=out)
    run.push(source, SourceBatch(events(("a", 5)), {}, watermark=9))
    assert out.rows() == [("a", 0, 1)]


def test_watermark_can_be_set_by_hand() -> None:
    source, out = scan(), Collector()
    run = job(sink(buckets(source)), collector=out)
    run.push_rows(source, events(("a", 5)))
    run.watermark(source, 9)
    assert out.rows() == [("a", 0, 1)]


def test_literal_rows_come_when_they_are_finished() -> None:
    schema = Schema.of([("k", STRING), ("n", INT)])
    rows = tuple((Literal(k, STRING), Literal(n, INT)) for k, n in [("a", 1), (None, None)])
    values, out = Values(schema=schema, rows=rows), Collector()
    run = job(sink(values), collector=out)
    run.finish(values)
    run.finish(values)
    assert out.rows() == [("a", 1), (None, None)]
    assert run.output_watermark() == MAX_WATERMARK


def test_timers_fire_when_the_clock_reaches_them() -> None:
    source, out, clock = scan(), Collector(), ManualClock(1000)
    run = job(sink(Alarm(schema=EVENTS, input=source)), collector=out, clock=clock)
    run.push_rows(source, events(("a", 5)))
    assert run.next_timer() == 1100
    clock.set(1099)
    run.fire_timers()
    assert out.rows() == []
    clock.set(1100)
    run.fire_timers()
    assert len(out.rows()) == 1
    assert run.next_timer() is None


def test_an_operator_that_gives_other_columns_than_its_node_is_a_defect() -> None:
    source = scan()
    run = job(sink(buckets(watermarked(source))), collector=Collector())
    wrong = Changes(pl.DataFrame({"x": [1]}))
    with pytest.raises(InternalError, match="WRONG_COLUMNS"):
        run.push_rows(source, wrong)


def test_a_polars_error_names_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise pl.exceptions.ComputeError("conversion failed")

    monkeypatch.setattr(BucketsOperator, "process", fail)
    source = scan()
    run = job(sink(buckets(source)), collector=Collector())
    with pytest.raises(ExternalError, match="'Buckets' cannot compute a row: conversion failed"):
        run.push_rows(source, events(("a", 1)))


def test_a_failing_sink_factory_ends_the_sinks_that_were_opened() -> None:
    out = Collector()
    given: list[object] = []

    def sinks(root: object) -> Collector:
        if given:
            raise ExternalError("NO_SPACE", "the disk is full")
        given.append(root)
        return out

    with pytest.raises(ExternalError, match="full"):
        Job([sink(scan()), sink(scan())], Config(), sinks=sinks)
    assert out.ended == "aborted"


ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "d", None]), st.integers(-50, 120)), max_size=30
)


@given(rows=ROWS, cuts=st.sets(st.integers(1, 29)), shards=st.sampled_from(["1", "2", "3"]))
@settings(max_examples=150, deadline=None)
def test_on_event_answers_do_not_depend_on_batches_shards_and_restarts(
    rows: list[tuple[str | None, int]], cuts: set[int], shards: str
) -> None:
    expected, late = one_by_one(rows)
    root = sink(buckets(watermarked(scan(), on_event=True)))
    out = Collector()
    run = job(root, collector=out, parallelism=shards)
    bounds = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    others = itertools.cycle(["2", "1", "3"])
    dropped = 0
    for begin, end in itertools.pairwise(bounds):
        run.push_rows(scan(), events(*rows[begin:end]))
        dropped += run.counters()["late_rows"]
        run = restarted(run, job(root, collector=out, parallelism=next(others)))
    run.finish(scan())
    assert sorted(out.rows(), key=repr) == sorted(expected, key=repr)
    assert dropped == late


def restarted(old: Job, new: Job) -> Job:
    state: JobState = old.snapshot()
    new.restore(state)
    old.close()
    return new


def one_by_one(rows: list[tuple[str | None, int]]) -> tuple[list[tuple[object, ...]], int]:
    """What ``Buckets`` should give, computed row by row."""
    counts: dict[tuple[str | None, int], int] = {}
    high, late = -(2**63), 0
    for key, time in rows:
        if time // 10 * 10 + 9 <= high:
            late += 1
        else:
            counts[key, time // 10] = counts.get((key, time // 10), 0) + 1
        high = max(high, time)
    return [(key, bucket, n) for (key, bucket), n in counts.items()], late


@given(rows=ROWS)
@settings(max_examples=60, deadline=None)
def test_no_row_of_a_shard_comes_after_a_watermark_it_belongs_before(
    rows: list[tuple[str | None, int]],
) -> None:
    out = Collector()
    first = buckets(watermarked(scan(), on_event=True))
    run = job(sink(first), collector=out, parallelism="3")
    run.push_rows(scan(), events(*rows))
    for batch in out.batches:
        if batch.watermarks is not None:
            before = [-(2**63), *batch.watermarks[:-1]]
            ends = [bucket * 10 + 9 for bucket in batch.rows["bucket"]]
            assert all(w < end for w, end in zip(before, ends, strict=True))


def test_schema_of_buckets_is_what_the_state_declares() -> None:
    assert buckets(scan()).state()[0].columns[1].type == BIGINT
