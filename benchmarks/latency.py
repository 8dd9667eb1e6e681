"""Source-to-sink time of single rows: ``python -m benchmarks.latency [--seconds N] [--rate N]``.

Rows are made at a steady pace. A row counts from the moment the pace made it due, whenever it was
asked for, to the moment the sink is given its result: of the filter, the row itself; of the GROUP
BY, the first change of its key that has it in; of the TUMBLE, the window that the row closes.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from sameriver import Session
from sameriver.common.changes import Changes
from sameriver.connectors.connector import Source, SourceBatch
from sameriver.engine.driver import Progress, run
from sameriver.engine.tables import open_source
from sameriver.plan.physical.scan import Scan

SOURCE = """CREATE TABLE numbers (
  n BIGINT, v BIGINT, k AS MOD(n, 1000), ts AS TO_TIMESTAMP_LTZ(n * 1000 / {rate}, 3),
  WATERMARK FOR ts AS ts
) WITH ('connector' = 'datagen', 'rows-per-second' = '{rate}', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '0', 'fields.n.end' = '1000000000');"""
_WINDOW = 50
"""Size of windows in ms."""
_WARM_UP = 1.0
"""Seconds at the start that don't count: threads start, columns are laid out for the first time."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query whose column ``n`` tells which row of the source completed the result."""

    name: str
    sql: str


CASES = (
    Case("filter", "SELECT n, v FROM numbers WHERE MOD(n, 10) <> 3"),
    Case("group_by", "SELECT k, MAX(n) AS n, COUNT(*) AS c, SUM(v) AS s FROM numbers GROUP BY k"),
    Case(
        "tumble",
        "SELECT k, MAX(n) AS last, COUNT(*) AS c, window_end FROM TABLE(TUMBLE(TABLE numbers, "
        f"DESCRIPTOR(ts), INTERVAL '0.0{_WINDOW}' SECOND)) GROUP BY k, window_start, window_end",
    ),
)
BARS = {"": 50.0, "1 ms": 10.0}
"""ms that 99 % of results must come in, by ``sameriver.batch.latency`` (empty: the default)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """What one case showed; times in ms."""

    case: str
    latency: str
    results: int
    p50: float
    p99: float
    p999: float
    bar: float

    @property
    def met(self) -> bool:
        return self.p99 < self.bar


@dataclass(slots=True)
class Paced:
    """A source whose polls are noted: how many rows it had given by when."""

    source: Source
    rows: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    given: int = 0

    @property
    def bounded(self) -> bool:
        return self.source.bounded

    def poll(self, rows: int) -> SourceBatch:
        batch = self.source.poll(rows)
        if batch.changes is not None:
            self.given += len(batch.changes)
            self.rows.append(self.given)
            self.seconds.append(time.perf_counter())
        return batch

    def seek(self, position: dict[str, object]) -> None:
        self.source.seek(position)

    def counters(self) -> dict[str, int]:
        return dict(self.source.counters())

    def close(self) -> None:
        self.source.close()


@dataclass(slots=True)
class Noted:
    """A sink that keeps what it is given, and when."""

    batches: list[tuple[float, Changes]] = field(default_factory=list)

    def write(self, changes: Changes) -> None:
        self.batches.append((time.perf_counter(), changes))

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


def due(rows: list[int], seconds: list[float], count: int) -> np.ndarray:
    """When each of ``count`` rows was due, the rows of a poll spread over the time before it."""
    return np.interp(np.arange(1, count + 1), rows, seconds)


def percentiles(milliseconds: np.ndarray) -> tuple[float, float, float]:
    """The least times that 50, 99 and 99.9 % of results stay within."""
    p50, p99, p999 = np.percentile(milliseconds, (50, 99, 99.9), method="inverted_cdf")
    return float(p50), float(p99), float(p999)


def completing(case: str, out: pl.DataFrame, rate: int) -> pl.DataFrame:
    """Row numbers of the source and when the result that each completed came: ``n``, ``at``."""
    match case:
        case "group_by":
            rows = out.select(n=pl.int_range(pl.col("n").max() + 1))
            rows = rows.with_columns(k=(pl.col("n") % 1000).cast(out.schema["k"]))
            given = out.filter(pl.col("kind").is_in([0, 2])).sort("n")
            joined = rows.join_asof(
                given, on="n", by="k", strategy="forward", check_sortedness=False
            )
            return joined.drop_nulls("at").select("n", "at")
        case "tumble":
            end = out["window_end"].dt.epoch("ms")
            # The watermark is the highest time, and closes a window 1 ms before its end.
            return pl.DataFrame({"n": -(-(end - 1) * rate // 1000), "at": out["at"]})
    return out.select("n", "at")


def measure(case: Case, latency: str, seconds: float, rate: int) -> Latency:
    """Runs a case for some seconds."""
    session = Session({"sameriver.batch.latency": latency} if latency else None)
    session.execute(SOURCE.format(rate=rate))
    (plan,) = session.plan(case.sql)
    sources: list[Paced] = []

    def paced(scan: Scan) -> Paced:
        sources.append(Paced(open_source(scan, plan.config, session.clock)))
        return sources[-1]

    sink, stop = Noted(), threading.Event()

    def watch(progress: Progress) -> None:
        if progress.seconds > seconds + _WARM_UP:
            stop.set()

    run(session.job(plan, sources=paced, sink=sink), stop=stop, progress=watch)
    (source,) = sources
    found = milliseconds(case.name, sink, source, rate)
    p50, p99, p999 = percentiles(found)
    return Latency(
        case=case.name, latency=latency or session.config["sameriver.batch.latency"],
        results=len(found), p50=p50, p99=p99, p999=p999, bar=BARS.get(latency, BARS[""]),
    )  # fmt: skip


def milliseconds(case: str, sink: Noted, source: Paced, rate: int) -> np.ndarray:
    """Time of each result but for those of the warm-up."""
    frames = [
        changes.rows.with_columns(at=pl.lit(at), kind=changes.kinds_or_inserts())
        for at, changes in sink.batches
    ]
    results = completing(case, pl.concat(frames), rate)
    results = results.filter(pl.col("n") >= rate * _WARM_UP)
    made = due(source.rows, source.seconds, source.given)[results["n"].to_numpy()]
    return np.asarray((results["at"].to_numpy() - made) * 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="for each case")
    parser.add_argument("--rate", type=int, default=10_000, help="rows a second")
    parser.add_argument("--case", choices=[case.name for case in CASES])
    parser.add_argument("--write", type=Path, help="file for the figures, as JSON")
    options = parser.parse_args()
    print(f"{'case':<10} {'latency':>8} {'results':>9} {'50 %':>8} {'99 %':>8} {'99.9 %':>8} bar")
    found = []
    for latency in BARS:
        for case in CASES:
            if options.case in (None, case.name):
                one = measure(case, latency, options.seconds, options.rate)
                found.append(one)
                print(
                    f"{one.case:<10} {one.latency:>8} {one.results:9,} {one.p50:8.2f} "
                    f"{one.p99:8.2f} {one.p999:8.2f} {one.bar:.0f} "
                    + ("ok" if one.met else "MISSED"),
                    flush=True,
                )
    if options.write is not None:
        options.write.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    sys.exit(0 if all(one.met for one in found) else 1)


if __name__ == "__main__":
    main()
