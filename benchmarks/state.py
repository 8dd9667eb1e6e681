"""What state on disk costs: ``python benchmarks/state.py [--keys N] [--rows N]``."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl

from cases import CASES
from data import generate, rows_of
from sameriver import Session, StateDir
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import Manifest
from sameriver.checkpoint.requests import take_savepoint
from sameriver.common.changes import Changes
from sameriver.engine.checkpoints import Checkpointer, Saving
from sameriver.engine.job import Job

BARS = {"throughput": 0.8, "pause": 150, "restore": 5, "size": 1.2, "upgrade": 5}
_SUMS = """SET 'table.exec.state.ttl' = '0'; SET 'parallelism.default' = '2';
CREATE TABLE pairs (k BIGINT, v BIGINT) WITH ('connector' = 'case');
CREATE TABLE sink (k BIGINT, v BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO sink SELECT k, MAX(v) FROM pairs GROUP BY k;"""
"""Two BIGINT columns a key."""


def throughput(folder: Path, rows: int, repeat: int) -> bool:
    """GROUP BY on 1 M keys with a checkpoint every second, over the same without."""
    case = next(case for case in CASES if case.name == "group_by_1m_ints")
    for name in case.reads:
        generate(folder, name, rows_of(name, rows))
    seconds = {"without": float("inf"), "with": float("inf")}
    state = folder / "state"
    for _ in range(repeat):
        for kind in seconds:
            shutil.rmtree(state, ignore_errors=True)
            session = Session({"execution.checkpointing.interval": "1 s"})
            started = time.perf_counter()
            session.execute(case.script(folder), state=state if kind == "with" else None)
            seconds[kind] = min(seconds[kind], time.perf_counter() - started)
    shutil.rmtree(state)
    ratio = seconds["without"] / seconds["with"]
    return _told(
        "throughput with checkpoints", f"{ratio:.2f}x", "0.80x", ratio >= BARS["throughput"]
    )


class Sums:
    """A job of as many keys, with its state in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = StateFolder.make(folder)

    def start(self) -> tuple[Job, Checkpointer]:
        session = Session()
        (plan,) = session.plan(_SUMS)
        job = session.job(plan)
        checkpoints = Checkpointer(Saving(folder=self._folder, script=_SUMS, number=1, name="sums"))
        checkpoints.start(job)
        return job, checkpoints

    def push(self, job: Job, keys: np.ndarray) -> None:
        step = 1 << 18
        for start in range(0, len(keys), step):
            part = keys[start : start + step]
            rows = pl.DataFrame({"k": part, "v": part * 7 % 1_000_003})
            job.push_rows(job.sources[0], Changes(rows))


def large(folder: Path, keys: int) -> bool:
    """Pause for a tenth of the keys changed, size of a savepoint, time to restore."""
    sums, random = Sums(folder), np.random.default_rng(1)
    job, checkpoints = sums.start()
    sums.push(job, random.permutation(keys))
    first = checkpoints.take(last=False)
    sums.push(job, random.choice(keys, keys // 10, replace=False))
    second = checkpoints.take(last=False)
    job.close()
    checkpoints.abandon()
    pause = second.metrics.pause
    print(f"  whole: {_text(first)}; a tenth: {_text(second)}")
    met = _told("pause for a tenth changed", f"{pause} ms", "150 ms", pause < BARS["pause"])
    met &= _size(folder)
    started = time.perf_counter()
    job, checkpoints = sums.start()
    seconds = time.perf_counter() - started
    checkpoints.abandon()
    job.close()
    return met & _told("restore", f"{seconds:.2f} s", "5.00 s", seconds < BARS["restore"])


def upgrade(folder: Path, keys: int) -> bool:
    """From a stopped job to the first output of one with an aggregate less and another more."""
    batch = 1 << 18
    numbers = np.random.default_rng(1).permutation(keys)
    every = pl.DataFrame({"k": numbers, "v": numbers * 7 % 1_000_003})
    frames = [*every.iter_slices(batch), every[:batch], every[batch : 2 * batch]]
    sql = "SELECT k, SUM(v) AS s, {} FROM pairs GROUP BY k;"
    options = {"sameriver.batch.rows": str(batch), "table.exec.state.ttl": "0"}

    def first(state: StateDir, script: str, stop_at: int) -> float:
        session, stop = Session({**options, "parallelism.default": "2"}), threading.Event()
        session.register("pairs", lambda: iter(frames))
        started, took = time.perf_counter(), 0.0
        (result,) = session.results(script, state=state, stop=stop)
        for count, _ in enumerate(result.batches(), 1):
            took = took or time.perf_counter() - started
            if count == stop_at:
                stop.set()
        return took

    first(StateDir(folder), sql.format("COUNT(*) AS n"), len(frames) - 2)
    seconds = first(StateDir(folder, allow_partial=True), sql.format("MAX(v) AS m"), 1)
    return _told("upgrade", f"{seconds:.2f} s", "5.00 s", seconds < BARS["upgrade"])


def _size(folder: Path) -> bool:
    """Bytes of a savepoint over those of the same columns in plain Parquet."""
    savepoint = take_savepoint(StateFolder.find(folder), None, timeout=1)
    (file,) = savepoint.glob("*.parquet")
    plain = folder.parent / "plain.parquet"
    pl.read_parquet(file).select(pl.nth(0, 1)).write_parquet(plain, compression="zstd")
    total = sum(path.stat().st_size for path in savepoint.iterdir())
    ratio = total / plain.stat().st_size
    return _told("size of a savepoint", f"{ratio:.2f}x", "1.20x", ratio <= BARS["size"])


def _text(manifest: Manifest) -> str:
    metrics = manifest.metrics
    return f"{metrics.pause} ms pause, {metrics.duration} ms, {metrics.bytes / 1e6:.1f} MB"


def _told(what: str, found: str, bar: str, met: bool) -> bool:
    print(f"{what:<30} {found:>10} (bar {bar:>7}) {'ok' if met else 'MISSED'}", flush=True)
    return met


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000_000, help="read for throughput")
    parser.add_argument("--keys", type=int, default=10_000_000, help="of the large state")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keeps the data sets for the next run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        met = [
            throughput(options.folder or Path(temporary), options.rows, options.repeat),
            large(Path(temporary) / "large", options.keys),
            upgrade(Path(temporary) / "upgrade", options.keys),
        ]
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
