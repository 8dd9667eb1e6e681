"""Engines take turns: each query on all of them, over one file."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.nexmark import changelog, in_batch
from benchmarks.nexmark.engines import Engine, Failed, Running
from benchmarks.nexmark.equality import difference
from benchmarks.nexmark.figures import Figures, Runs
from benchmarks.nexmark.scripts import BLACKHOLE, query, read

BY_THE_CLOCK = ("q12",)
"""Queries whose results hang on when rows come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run.

    Attributes:
        quick: one process of each engine serves all queries.
        small: folder of the file that results are compared on.
    """

    format: str
    events: int
    repeat: int
    quick: bool
    folder: Path
    small: Path


def statements(
    engine: Engine, name: str, format: str, folder: Path, sink: Mapping[str, str] = BLACKHOLE
) -> list[str]:
    """What comes before a query."""
    if engine.name == "duckdb":
        return in_batch.setup(format, folder)
    return [*read(format, folder), *query(name, folder, sink).setup]


def insert(engine: Engine, name: str, folder: Path) -> str | None:
    """The job of a query; None: the engine has none."""
    if engine.name != "duckdb":
        return query(name, folder).insert
    select = in_batch.select(name, folder)
    return None if select is None else f"CREATE OR REPLACE TEMP TABLE result AS {select}"


def job(running: Running, name: str, folder: Path) -> float:
    """Runs a query once, by the engine's own clock."""
    text = insert(running.engine, name, folder)
    assert text is not None
    shutil.rmtree(folder / "log", ignore_errors=True)
    return running.run(text)


def came_to(running: Running, name: str, format: str, folder: Path) -> changelog.Table:
    """The final table of a query."""
    sink = changelog.options(folder / "log")
    running.setup(statements(running.engine, name, format, folder, sink))
    job(running, name, folder)
    return changelog.table(folder / "log")


def compared(name: str, plan: Plan, processes: Mapping[str, Running]) -> str:
    """Whether Flink and we come to the same table: ``yes``, or what differs."""
    if name in BY_THE_CLOCK:
        return "by the clock"
    if not {"sameriver", "flink"} <= set(processes):
        return "-"
    ours, theirs = (
        came_to(processes[engine], name, plan.format, plan.small)
        for engine in ("sameriver", "flink")
    )
    return difference(ours, theirs) or f"yes ({ours.total():,} rows)"


@contextmanager
def told(found: Figures) -> Iterator[None]:
    """An engine that fails takes no other down."""
    try:
        yield
    except Failed as failed:
        found.equal = f"failed: {reason(str(failed))}"


def reason(said: str) -> str:
    """The first line of what an engine said, and the innermost cause of a Java exception."""
    first, *lines = said.splitlines()
    causes = [line.strip() for line in lines if line.startswith("Caused by: ")]
    return " ".join([first[:200], *(cause[:300] for cause in causes[-1:])]).replace("|", "/")


def first(name: str, plan: Plan, running: Running) -> Runs:
    """Sets a query up and runs it once, which is not counted."""
    running.setup(statements(running.engine, name, plan.format, plan.folder))
    job(running, name, plan.folder)
    return Runs(whole=None if plan.quick else time.perf_counter() - running.started)


def count(name: str, plan: Plan, running: Running, runs: Runs) -> None:
    """Runs a query once, right after a job that is not counted."""
    runs.seconds.append(job(running, name, plan.folder))
    runs.peak = running.peak()


def measured(name: str, plan: Plan, engines: Sequence[Engine], processes: Processes) -> Figures:
    """All figures of a query.

    The first job of a turn is not counted, but kept: while others have their turn, a process loses
    its place in caches, and in some virtual machines its pages, and is slow to find them again.
    """
    found = Figures(query=name, events=plan.events)
    taking_part: dict[str, Running] = {}
    for engine in engines:
        if insert(engine, name, plan.folder) is not None:
            with told(found):
                running = processes.of(engine)
                found.runs[engine.name] = first(name, plan, running)
                taking_part[engine.name] = running
                count(name, plan, running, found.runs[engine.name])
    for _ in range(1, plan.repeat):
        for engine_name, running in taking_part.items():
            runs = found.runs[engine_name]
            with told(found):
                runs.rested.append(job(running, name, plan.folder))
                count(name, plan, running, runs)
    if not found.equal:
        with told(found):
            found.equal = compared(name, plan, taking_part)
    return found


class Processes:
    """The processes of engines, each started at its turn."""

    def __init__(self) -> None:
        self._kept: dict[str, Running] = {}
        self._stack = ExitStack()

    def of(self, engine: Engine) -> Running:
        """The process that serves an engine; a new one if none lives."""
        kept = self._kept.get(engine.name)
        if kept is None or not kept.alive:
            kept = self._kept[engine.name] = self._stack.enter_context(Running(engine))
        return kept

    def end(self) -> None:
        self._kept.clear()
        self._stack.close()


def figures(names: Sequence[str], plan: Plan, engines: Sequence[Engine]) -> Iterator[Figures]:
    """The figures of each query as they come."""
    processes = Processes()
    try:
        for name in names:
            yield measured(name, plan, engines, processes)
            if not plan.quick:
                processes.end()
    finally:
        processes.end()
