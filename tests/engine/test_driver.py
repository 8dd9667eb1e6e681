"""The loop that drives a job from its sources."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from engine_pieces import BUCKETS, Alarm, Buckets, Collector, ListSource, events, job, scan, sink

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.time import ManualClock
from sameriver.connectors.connector import SourceBatch
from sameriver.engine.driver import Driver, Progress, run
from sameriver.plan.physical.union import Union


def test_all_rows_of_a_bounded_source_come_out_and_the_sink_is_closed() -> None:
    out, source = Collector(), ListSource([events(("a", 1)), events(("b", 2), ("c", 3))])
    last = run(job(sink(scan()), collector=out, sources={"events": source}))
    assert [key for key, _ in out.rows()] == ["a", "b", "c"]
    assert (last.rows_in, last.rows_out, last.ignored_rows) == (3, 3, 2)
    assert out.ended == "closed"
    assert source.closed


def test_the_end_of_input_releases_what_waits_for_a_watermark() -> None:
    out = Collector()
    below = Buckets(schema=BUCKETS, input=scan())
    run(job(sink(below), collector=out, sources={"events": ListSource([events(("a", 1))])}))
    assert out.rows() == [("a", 0, 1)]


def test_small_batches_are_put_together() -> None:
    out = Collector()
    source = ListSource([events((str(i), i)) for i in range(20)])
    run(job(sink(scan()), collector=out, sources={"events": source}))
    assert [len(batch) for batch in out.batches] == [20]


def test_a_full_batch_is_not_filled_further() -> None:
    out = Collector()
    source = ListSource([events((str(i), i)) for i in range(4)])
    run(job(sink(scan()), collector=out, sources={"events": source}, rows="2"))
    assert [len(batch) for batch in out.batches] == [2, 2]


def test_several_sources_are_read_to_their_ends() -> None:
    out = Collector()
    both = Union(schema=scan().schema, branches=(scan("l"), scan("r")))
    sources = {"l": ListSource([events(("a", 1))]), "r": ListSource([events(("b", 2))])}
    run(job(sink(both), collector=out, sources=sources))
    assert sorted(out.rows()) == sorted(events(("a", 1), ("b", 2)).rows.iter_rows())


def test_an_error_of_a_source_fails_the_job() -> None:
    out, error = Collector(), ExternalError("BAD_ROW", "line 3 is no JSON")
    source = ListSource([events(("a", 1))], bounded=False, error=error)
    with pytest.raises(ExternalError, match="line 3"):
        run(job(sink(scan()), collector=out, sources={"events": source}))
    assert out.ended == "aborted"
    assert source.closed


def test_an_unbounded_job_runs_until_it_is_stopped() -> None:
    out, stop = Collector(), threading.Event()
    source = ListSource([events(("a", 1))], bounded=False)
    below = Buckets(schema=BUCKETS, input=scan())
    run(
        job(sink(below), collector=out, sources={"events": source}),
        stop=stop,
        progress=lambda at: stop.set() if at.rows_in else None,
    )
    assert out.rows() == []
    assert out.ended == "closed"


def test_timers_fire_while_sources_are_silent() -> None:
    out, stop, clock = Collector(), threading.Event(), ManualClock()
    source = ListSource([events(("a", 1))], bounded=False)
    root = sink(Alarm(schema=scan().schema, input=scan()))

    def watch(at: Progress) -> None:
        clock.advance(40)
        if at.rows_out:
            stop.set()

    run(
        job(root, collector=out, clock=clock, sources={"events": source}),
        stop=stop,
        progress=watch,
    )
    assert len(out.rows()) == 1


def test_a_restored_job_reads_on_where_it_stood() -> None:
    out = Collector()
    batches = [events(("a", 1)), events(("b", 2)), events(("c", 3))]
    first = job(sink(scan()), collector=out, sources={"events": ListSource(batches)}, rows="1")
    with Driver(first) as driver:
        driver.step()
        state = first.snapshot()
    second = job(sink(scan()), collector=out, sources={"events": ListSource(batches)}, rows="1")
    second.restore(state)
    run(second)
    assert [key for key, _ in out.rows()] == ["a", "b", "c"]


def test_a_finished_source_is_not_read_again() -> None:
    out, batches = Collector(), [events(("a", 1))]
    first = job(sink(scan()), collector=out, sources={"events": ListSource(batches)})
    run(first)
    second = job(sink(scan()), collector=out, sources={"events": ListSource(batches)})
    second.restore(first.snapshot())
    run(second)
    assert len(out.rows()) == 1


class Marked(ListSource):
    """Gives a watermark with each poll."""

    def poll(self, rows: int) -> SourceBatch:
        return replace(super().poll(rows), watermark=400)


def test_lag_is_the_clock_minus_the_watermark() -> None:
    source = Marked([], bounded=False)
    started = job(
        sink(scan()), collector=Collector(), clock=ManualClock(1000), sources={"events": source}
    )
    with Driver(started) as driver:
        while driver.progress().watermark is None:
            driver.step()
        assert driver.progress().lag == 600


def test_empty_batches_reach_no_operator() -> None:
    out = Collector()
    empty = Changes(events(("a", 1)).rows.clear())
    run(job(sink(scan()), collector=out, sources={"events": ListSource([empty])}))
    assert out.batches == []
