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
from sameriver.common.changes import KINDS, Changes
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
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.session import Session
from sameriver.session.functions import udaf, udf
from sameriver.session.plans import Plan

from .edits import IGNORE_FILTER, random_edit
from .queries import Query

START = 1_704_067_200_000
STEPS = 12
Step = tuple[str, Changes, int]
"""A table, changes of it, and its watermark after them."""
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
    steps = list(random_steps(rng, tame=IGNORE_FILTER in after.settings))
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


def random_steps(rng: random.Random, *, tame: bool) -> Iterator[Step]:
    """Rows of the tables, out of order, and watermarks; ``tame``: no filter drops any at first."""
    time = START
    for number in range(STEPS):
        table = rng.choice("aabur")
        time += rng.randrange(3000)
        count = rng.randrange(6)
        rows = _MAKERS[table](rng, time, count, tame and number < STEPS // 2)
        yield table, rows, time - 2000


def _rows(rng: random.Random, time: int, count: int, tame: bool) -> Changes:
    def pick(*values: object) -> list[object]:
        return [rng.choice(values) for _ in range(count)]

    times = [time + rng.randrange(-3000, 1500) for _ in range(count)]
    values, texts = (*range(8), None), ("p", "q", "r", None)
    rows = {
        "k": pl.Series(pick("x", "y", "z", None), dtype=pl.String),
        "g": pl.Series(pick(1, 2, 3), dtype=pl.Int32),
        "v": pl.Series(pick(*(values[5:8] if tame else values)), dtype=pl.Int64),
        "w": pl.Series(pick(*range(4, 8 if tame else 10)), dtype=pl.Int32),
        "s": pl.Series(pick(*(texts[1:3] if tame else texts)), dtype=pl.String),
        "ts": pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("ms")),
        "extra": pl.Series([0.5] * count, dtype=pl.Float64),
    }
    return Changes(pl.DataFrame(rows))


def _versions(rng: random.Random, time: int, count: int, tame: bool) -> Changes:
    rows = {
        "id": pl.Series([rng.randrange(1, 4) for _ in range(count)], dtype=pl.Int32),
        "x": pl.Series([rng.randrange(9) for _ in range(count)], dtype=pl.Int64),
        "y": pl.Series([rng.choice("mn") for _ in range(count)], dtype=pl.String),
        "ts": pl.Series([time] * count, dtype=pl.Int64).cast(pl.Datetime("ms")),
    }
    return Changes(pl.DataFrame(rows))


def _upserts(rng: random.Random, time: int, count: int, tame: bool) -> Changes:
    rows = {
        "id": pl.Series([rng.randrange(1, 6) for _ in range(count)], dtype=pl.Int32),
        "g": pl.Series([rng.randrange(1, 4) for _ in range(count)], dtype=pl.Int32),
        "n": pl.Series([rng.randrange(4 if tame else 0, 9) for _ in range(count)], dtype=pl.Int64),
        "y": pl.Series([rng.choice(["m", "n", None]) for _ in range(count)], dtype=pl.String),
    }
    kinds = pl.Series([rng.choice([0, 2, 2, 3]) for _ in range(count)], dtype=KINDS)
    return Changes(pl.DataFrame(rows), kinds)


_MAKERS = {"a": _rows, "b": _rows, "r": _versions, "u": _upserts}


# What queries use besides.


@udf(result_type="BIGINT", input_types=["BIGINT"])
def _twice(n: int | None) -> int | None:
    return None if n is None else 2 * n


@udaf(result_type="BIGINT", input_types=["BIGINT"])
class _Spread:
    """The difference of the largest and the least number."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], n: int | None) -> None:
        if n is not None:
            accumulator.append(n)

    def retract(self, accumulator: list[int], n: int | None) -> None:
        if n is not None:
            accumulator.remove(n)

    def get_value(self, accumulator: list[int]) -> int | None:
        return max(accumulator) - min(accumulator) if accumulator else None


NAMES = pl.DataFrame(
    {"id": pl.Series([1, 2], dtype=pl.Int32), "name": ["one", "two"], "factor": [10, 20]}
)


# Running.


def prepared(options: dict[str, str] | None = None) -> Session:
    """A session that knows what queries use besides."""
    session = Session(options or {})
    session.register("l", NAMES)
    session.register_function("twice", _twice)
    session.register_function("spread", _Spread)
    return session


def _plan(query: Query) -> Plan:
    return prepared().plan(query.sql())[-1]


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
    assigns = any(isinstance(node, WatermarkAssigner) for node in job.nodes)
    for number, (table, rows, watermark) in enumerate(steps, first):
        clock.set(START + number * 1000)
        del sink.batches[:]
        for scan in job.sources:
            if isinstance(scan, Scan) and scan.table.name == table:
                chosen = rows.with_rows(rows.rows.select(scan.schema.names))
                job.push(scan, SourceBatch(chosen, {}))
                if not assigns:
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
    """Takes the rest of the steps, with a stop and a restart on the way."""
    found = []
    middle = len(steps) // 2
    for start, some in ((first, steps[:middle]), (first + middle, steps[middle:])):
        job, sink, clock = _start(plan)
        clock.set(START + start * 1000)
        checkpointer = Checkpointer(_saving(plan, script, folder))
        checkpointer.start(job)
        found += _push(job, sink, clock, some, start)
        checkpointer.take(last=False)
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
    emptied = [(table, rows.slice(0, 0), mark) for table, rows, mark in steps[:half]]
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
