"""Stops a job, changes its query, goes on, and compares with the new query over all input."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import Manifest
from sameriver.common.changes import Changes
from sameriver.common.errors import UserError
from sameriver.common.time import ManualClock
from sameriver.compat import CompatibilityReport, Verdict
from sameriver.compat.description_json import to_json
from sameriver.connectors.connector import SourceBatch
from sameriver.deploy.plans import Collected, PlannedJob
from sameriver.deploy.rules import rules_of
from sameriver.deploy.upgrade import Change, UpgradeRefused
from sameriver.engine.checkpoints import Checkpointer, Saving
from sameriver.engine.job import Job
from sameriver.plan.physical.scan import Scan
from sameriver.session import Session
from sameriver.session.plans import Plan

from .queries import Query, random_edit

START = 1_704_067_200_000
Step = tuple[str, pl.DataFrame, int]
"""A table, rows for it, and its watermark after them."""
Row = tuple[object, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of an edit; ``problem``: how the output was wrong."""

    verdict: Verdict
    problem: str
    old: str
    new: str


def try_edit(family: str, seed: int, folder: Path) -> Outcome | None:
    """One random edit over random input; None if either query can't be planned."""
    rng = random.Random(f"{family}{seed}")
    before, after = random_edit(family, rng)
    steps = list(random_steps(rng))
    half = len(steps) // 2
    try:
        old, new = _plan(before), _plan(after)
    except UserError:
        return None
    saved = _run_and_save(old, before.sql(), steps[:half], folder)
    change = Change(
        folder=saved,
        manifest=_latest(saved),
        old=[_planned(old)],
        new=[_planned(new)],
        script=after.sql(),
        rules=rules_of(new.config),
        clock=ManualClock(START),
    )
    report = change.compare()
    try:
        if not change.is_none():
            change.make(allow_partial=True, backfill=False)
    except UpgradeRefused:
        return Outcome(report.verdict, "", before.sql(), after.sql())
    found = _go_on(new, after.sql(), steps[half:], saved, half)
    whole = _run(new, steps)[half:]
    problem = _compared(found, whole, report, new)
    if report.verdict is Verdict.PARTIAL and not problem:
        problem = _new_columns(found, _since(new, steps, half), report, new, after.keys())
    return Outcome(report.verdict, problem, before.sql(), after.sql())


def random_steps(rng: random.Random) -> Iterator[Step]:
    """Rows of both tables, out of order, and watermarks."""
    time = START
    for _ in range(12):
        table = rng.choice("aabr")
        time += rng.randrange(3000)
        count = rng.randrange(6)
        rows = _versions(rng, time, count) if table == "r" else _rows(rng, time, count)
        yield table, rows, time - 2000


def _rows(rng: random.Random, time: int, count: int) -> pl.DataFrame:
    def pick(*values: object) -> list[object]:
        return [rng.choice(values) for _ in range(count)]

    times = [time + rng.randrange(-3000, 1500) for _ in range(count)]
    return pl.DataFrame(
        {
            "k": pl.Series(pick("x", "y", "z", None), dtype=pl.String),
            "g": pl.Series(pick(1, 2, 3), dtype=pl.Int32),
            "v": pl.Series(pick(*range(8), None), dtype=pl.Int64),
            "w": pl.Series(pick(*range(10)), dtype=pl.Int32),
            "s": pl.Series(pick("p", "q", "r", None), dtype=pl.String),
            "ts": pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("ms")),
        }
    )


def _versions(rng: random.Random, time: int, count: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": pl.Series([rng.randrange(1, 4) for _ in range(count)], dtype=pl.Int32),
            "x": pl.Series([rng.randrange(9) for _ in range(count)], dtype=pl.Int64),
            "y": pl.Series([rng.choice("mn") for _ in range(count)], dtype=pl.String),
            "ts": pl.Series([time] * count, dtype=pl.Int64).cast(pl.Datetime("ms")),
        }
    )


# Running.


def _plan(query: Query) -> Plan:
    return Session().plan(query.sql())[-1]


def _planned(plan: Plan) -> PlannedJob:
    return PlannedJob(name="SELECT", roots=plan.roots, config=plan.config)


def _latest(folder: StateFolder) -> Manifest:
    manifest = folder.latest()
    assert manifest is not None
    return manifest


def _start(plan: Plan) -> tuple[Job, Collected, ManualClock]:
    clock, sink = ManualClock(START), Collected()
    return Job(plan.roots, plan.config, clock=clock, sinks=lambda _: sink), sink, clock


def _push(
    job: Job, sink: Collected, clock: ManualClock, steps: Sequence[Step], first: int = 0
) -> list[list[Row]]:
    """Takes steps; the changes after each."""
    found = []
    for number, (table, rows, watermark) in enumerate(steps, first):
        clock.set(START + number * 1000)
        del sink.batches[:]
        for scan in job.sources:
            if isinstance(scan, Scan) and scan.table.name == table:
                changes = Changes(rows.select(scan.schema.names))
                job.push(scan, SourceBatch(changes, {}))
                job.watermark(scan, watermark)
        job.fire_timers()
        found.append([row for batch in sink.batches for row in _listed(batch)])
    return found


def _listed(batch: Changes) -> Iterator[Row]:
    kinds = batch.kinds_or_inserts().to_list()
    for kind, row in zip(kinds, batch.rows.rows(), strict=True):
        yield kind, *row


def _run(plan: Plan, steps: Sequence[Step]) -> list[list[Row]]:
    job, sink, clock = _start(plan)
    found = _push(job, sink, clock, steps)
    job.abort()
    return found


def _saving(plan: Plan, script: str, folder: StateFolder) -> Saving:
    description = to_json(_planned(plan).describe())
    return Saving(folder=folder, script=script, number=1, name="SELECT", description=description)


def _run_and_save(plan: Plan, script: str, steps: Sequence[Step], path: Path) -> StateFolder:
    folder = StateFolder.make(path)
    job, sink, clock = _start(plan)
    checkpointer = Checkpointer(_saving(plan, script, folder))
    checkpointer.start(job)
    _push(job, sink, clock, steps)
    checkpointer.take(last=False)
    checkpointer.abandon()
    job.abort()
    return folder


def _go_on(
    plan: Plan, script: str, steps: Sequence[Step], folder: StateFolder, first: int
) -> list[list[Row]]:
    job, sink, clock = _start(plan)
    clock.set(START + first * 1000)
    checkpointer = Checkpointer(_saving(plan, script, folder))
    checkpointer.start(job)
    found = _push(job, sink, clock, steps, first)
    checkpointer.abandon()
    job.abort()
    return found


# Comparing.


def _compared(
    found: list[list[Row]], whole: list[list[Row]], report: CompatibilityReport, plan: Plan
) -> str:
    """How the output since the change differs from that of the new query; empty: it doesn't."""
    if report.verdict is Verdict.FULL:
        pairs = [(Counter(one), Counter(other)) for one, other in zip(found, whole, strict=True)]
    else:
        affected = set(report.outputs)
        places = [n for n, name in enumerate(plan.schema.names) if name not in affected]
        if not places:
            return ""
        pairs = [
            (_net(one, places), _net(other, places))
            for one, other in zip(found, whole, strict=True)
        ]
    for step, (one, other) in enumerate(pairs):
        if one != other:
            return f"step {step}: went on with {_shown(one, other)}, should {_shown(other, one)}"
    return ""


def _since(plan: Plan, steps: Sequence[Step], half: int) -> list[list[Row]]:
    """The changes of the new query over the rows since the change, in the time that it is."""
    emptied = [(table, rows.clear(), mark) for table, rows, mark in steps[:half]]
    return _run(plan, [*emptied, *steps[half:]])[half:]


def _new_columns(
    found: list[list[Row]],
    since: list[list[Row]],
    report: CompatibilityReport,
    plan: Plan,
    keys: Sequence[str],
) -> str:
    """How new columns differ from those over the rows since the change; empty: they don't."""
    names = plan.schema.names
    if not keys or set(keys) & set(report.outputs):
        return ""
    places = [names.index(name) for name in keys]
    shown = [place for place, name in enumerate(names) if name in report.outputs]

    def last(steps: list[list[Row]]) -> dict[Row, Row]:
        rows = [row for step in steps for kind, *row in step if kind in (0, 2)]
        return {tuple(r[p] for p in places): tuple(r[p] for p in shown) for r in rows}

    one, other = last(found), last(since)
    wrong = {key: (one.get(key), value) for key, value in other.items() if one.get(key) != value}
    return f"new columns, found and due: {wrong}" if wrong else ""


def _net(rows: list[Row], places: list[int]) -> Counter[Row]:
    """What changes of some columns come to."""
    net: Counter[Row] = Counter()
    for kind, *row in rows:
        net[tuple(row[place] for place in places)] += -1 if kind in (1, 3) else 1
    return Counter({row: count for row, count in net.items() if count})


def _shown(one: Counter[Row], other: Counter[Row]) -> str:
    return str([row for row in one if one[row] != other[row]])
