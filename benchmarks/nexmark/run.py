"""Nexmark on sameriver, Apache Flink and DuckDB: ``python -m benchmarks.nexmark.run --quick``.

Engines take turns over the same file. Each query has a process of each engine; its first job warms
it up, and tells the time of the whole process. The medians are of the jobs after that, by the
engines' own clocks: Flink's from the start of the job to FINISHED, ours from the text of the
statement to the end of the job. A smaller file is read to compare what the results add up to.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.nexmark import in_batch
from benchmarks.nexmark.engines import (
    FLINK_HEAP,
    ROOT,
    Engine,
    Failed,
    Running,
    duckdb,
    flink,
    sameriver,
)
from benchmarks.nexmark.equality import difference
from benchmarks.nexmark.figures import Figures, Runs, Targets
from benchmarks.nexmark.report import report, summary, table
from benchmarks.nexmark.scripts import NAMES, query, read
from benchmarks.nexmark.write import write

BY_THE_CLOCK = ("q12",)
"""Queries whose results hang on when rows come."""
_SMALL = 40_000
_SMALL_RATE = 1_000
"""Events that results are compared on, and how many of them a second of event time has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run.

    Attributes:
        quick: one process of each engine serves all queries, without a first job that warms up.
        small: folder of the file that results are compared on.
    """

    format: str
    events: int
    repeat: int
    quick: bool
    folder: Path
    small: Path


def statements(engine: Engine, name: str, format: str, folder: Path) -> list[str]:
    """What comes before a query."""
    if engine.name == "duckdb":
        return in_batch.setup(folder)
    return [*read(format, folder), *query(name, folder).setup]


def insert(engine: Engine, name: str, folder: Path) -> str | None:
    """The job of a query; None: the engine has none."""
    if engine.name != "duckdb":
        return query(name, folder).insert
    select = in_batch.select(name, folder)
    return None if select is None else f"CREATE OR REPLACE TEMP TABLE result AS {select}"


def timed(running: Running, name: str, folder: Path, runs: Runs) -> float:
    """Runs a query once, by the engine's own clock."""
    text = insert(running.engine, name, folder)
    assert text is not None
    shutil.rmtree(folder / "log", ignore_errors=True)
    seconds = running.run(text)
    runs.peak = running.peak()
    return seconds


def compared(name: str, plan: Plan, processes: Mapping[str, Running]) -> str:
    """Whether Flink and we come to the same table: ``yes``, or what differs."""
    if name in BY_THE_CLOCK:
        return "by the clock"
    found = []
    for engine in ("sameriver", "flink"):
        if engine not in processes:
            return "-"
        running = processes[engine]
        running.setup(statements(running.engine, name, plan.format, plan.small))
        found.append(running.collect(query(name, plan.small).select))
    return difference(*found) or f"yes ({len(found[0]):,} rows)"


def measured(name: str, plan: Plan, processes: Mapping[str, Running]) -> Figures:
    """All figures of a query."""
    found = Figures(query=name, events=plan.events)
    taking_part: dict[str, Running] = {}
    for engine, running in processes.items():
        if insert(running.engine, name, plan.folder) is None:
            continue
        runs = Runs()
        try:
            running.setup(statements(running.engine, name, plan.format, plan.folder))
            if not plan.quick:
                timed(running, name, plan.folder, runs)
                runs.whole = time.perf_counter() - running.started
        except Failed as failed:
            found.equal = f"failed: {str(failed).splitlines()[0][:200]}"
            continue
        found.runs[engine], taking_part[engine] = runs, running
    try:
        for _ in range(plan.repeat):
            for engine, running in taking_part.items():
                runs = found.runs[engine]
                runs.seconds.append(timed(running, name, plan.folder, runs))
        found.equal = found.equal or compared(name, plan, taking_part)
    except Failed as failed:
        found.equal = f"failed: {str(failed).splitlines()[0][:200]}"
    return found


def started(engines: list[Engine], stack: ExitStack) -> dict[str, Running]:
    return {engine.name: stack.enter_context(Running(engine)) for engine in engines}


def figures(names: list[str], plan: Plan, engines: list[Engine]) -> Iterator[Figures]:
    """The figures of each query as they come."""
    with ExitStack() as all_queries:
        shared = started(engines, all_queries) if plan.quick else None
        for name in names:
            if shared is not None:
                yield measured(name, plan, shared)
                continue
            with ExitStack() as one_query:
                yield measured(name, plan, started(engines, one_query))


def prepared(format: str, events: int, folder: Path, options: argparse.Namespace) -> Plan:
    """Files written, unless they are there."""
    large, small = folder / f"{events}", folder / f"{_SMALL}-small"
    write(format, large, events)
    write(format, small, _SMALL, rate=_SMALL_RATE)
    return Plan(
        format=format, events=events, repeat=options.repeat or (1 if options.quick else 3),
        quick=options.quick, folder=large, small=small,
    )  # fmt: skip


def command(given: Sequence[str]) -> str:
    """The command as it can be given on any machine: without paths."""
    words, kept = iter(given), ["python -m benchmarks.nexmark.run"]
    for word in words:
        name, glued, _ = word.partition("=")
        if name not in ("--flink", "--folder", "--write"):
            kept.append(word)
        elif not glued:
            next(words, None)
    return " ".join(kept)


def settings(options: argparse.Namespace, engines: list[Engine], events: int) -> dict[str, str]:
    """What the page says about how it came about."""
    versions = {name: version(name) for name in ("sameriver", "polars", "numba", "duckdb")}
    told = {
        "Command": f"`{command(sys.argv[1:])}`",
        "Machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}; "
        f"Python {platform.python_version()}",
        "Versions": ", ".join(f"{name} {text}" for name, text in versions.items())
        + ", Apache Flink as `apache-flink` has it",
        "Events": f"{events:,} in one file",
        "Flink's Java heap": FLINK_HEAP,
    }
    for engine in engines:
        said = ", ".join(f"`{key}` = `{value}`" for key, value in engine.options.items())
        told[f"Options of {engine.name}"] = said or "defaults"
    told["Events/s"] = (
        "in thousands, the median of jobs by the engine's own clock; sink `blackhole`"
    )
    told["Whole process"] = "from the start of a new process to the end of its first job"
    told["Memory"] = "peak of the process" + (
        ", in the queries up to this one" if options.quick else ""
    )
    return told


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, help="in the file; 2,000,000, quick: 200,000")
    parser.add_argument("--repeat", type=int, help="jobs after the first; 3, quick: 1")
    parser.add_argument("--format", choices=("csv", "json"), action="append", dest="formats")
    parser.add_argument("--queries", default=",".join(NAMES), help="such as q0,q5")
    parser.add_argument("--quick", action="store_true", help="CSV, five minutes in all")
    parser.add_argument("--folder", type=Path, help="keeps the files for the next run")
    default = ROOT / ".venv-oracle" / "bin" / "python"
    parser.add_argument("--flink", type=Path, default=default, help="Python with apache-flink")
    parser.add_argument("--set", action="append", default=[], help="option of ours: key=value")
    parser.add_argument("--write", type=Path, help="file of the page; the figures go beside it")
    given = parser.parse_args()
    if not given.flink.exists():
        parser.error(f"no Python with apache-flink at '{given.flink}': --flink takes another")
    return given


def main() -> None:
    options = arguments()
    events = options.events or (200_000 if options.quick else 2_000_000)
    ours = {"parallelism.default": "2", **dict(pair.split("=", 1) for pair in options.set)}
    sections, everything = {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        for format in options.formats or ("csv",):
            engines = [sameriver(ours), flink(options.flink)]
            engines += [duckdb()] if format == "csv" else []
            plan = prepared(format, events, (options.folder or Path(temporary)).absolute(), options)
            found = []
            for one in figures(options.queries.split(","), plan, engines):
                found.append(one)
                print(table([one]).splitlines()[-1], flush=True)
            title = f"Reading {format.upper()}"
            sections[title] = summary(found, Targets()) + "\n\n" + table(found)
            everything[format] = [one.json() for one in found]
            print(summary(found, Targets()), flush=True)
    if options.write is not None:
        options.write.write_text(report(sections, settings(options, engines, events)))
        numbers = json.dumps(everything, indent=1) + "\n"
        options.write.with_suffix(".json").write_text(numbers)


if __name__ == "__main__":
    main()
