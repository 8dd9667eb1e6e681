"""Throughput against DuckDB, side by side: ``python benchmarks/run.py [--rows N] [--case NAME]``.

Engines take turns on the same file, each run in a process of its own; the best of a few runs
counts, for both. DuckDB keeps its result in memory; sameriver streams it to ``blackhole``.

State is measured once all input is read: rows kept (the last watermark frees those that wait for
it), bytes held by row and by key, and that over the packed size of the same rows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import CASES, Case
from data import generate, rows_of

HERE = Path(__file__).parent
FIRST_ROW = "SELECT k, COUNT(*) FROM (VALUES (1), (2), (1)) AS t(k) GROUP BY k;"


def measure(engine: str, case: Case, folder: Path) -> dict[str, float]:
    command = [sys.executable, str(HERE / "measure.py"), engine, case.name, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(case: Case, folder: Path, rows: int, repeat: int) -> bool:
    """Prints a line and says whether the bar is met."""
    for name in case.reads:
        generate(folder, name, rows_of(name, rows))
    rows = sum(rows_of(name, rows) for name in case.reads)
    best = {"sameriver": float("inf"), "duckdb": float("inf")}
    memory = 0.0
    for _ in range(repeat):
        for engine in best:
            found = measure(engine, case, folder)
            best[engine] = min(best[engine], found["seconds"])
            if engine == "sameriver":
                memory = max(memory, found["gib"])
    ours, theirs = (rows / best[engine] / 1e6 for engine in ("sameriver", "duckdb"))
    ratio = ours / theirs
    met = ratio >= case.bar and memory < 4
    state = measure("state", case, folder)
    figures = f"{ours:8.2f} {theirs:8.2f} {ratio:8.2f}x {case.bar:6.2f}x {memory:8.2f}"
    head = f"{case.name:<20} {rows / 1e6:6.1f} {case.shards:6}"
    print(head, figures, per_row(state), "ok" if met else "MISSED", flush=True)
    return met


def per_row(state: dict[str, float]) -> str:
    """Rows of state, bytes of each and a key, and how that compares with the rows' own bytes."""
    if not state["rows"]:
        return f"{'-':>8} {'-':>6} {'-':>6} {'-':>7}"
    held, rows = state["held"], state["rows"]
    times = f"{held / state['raw']:.1f}x"
    return f"{rows / 1e6:8.3f} {held / rows:6.0f} {held / state['keys']:6.0f} {times:>7}"


def first_row(folder: Path) -> bool:
    """Time from process start to the first row of a small job, kernels cached."""
    script = folder / "small.sql"
    script.write_text(FIRST_ROW, encoding="utf-8")
    command = [sys.executable, "-m", "sameriver", "run", str(script), "--output", "jsonl"]
    # Modules are compiled and cached like kernels, as those of an installed package are.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            process.stdout.readline()
            seconds.append(time.perf_counter() - started)
    print(f"first row after {min(seconds):.2f} s (bar 1.00 s)")
    return min(seconds) < 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000_000, help="of the largest data set")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--case", choices=[case.name for case in CASES])
    parser.add_argument("--folder", type=Path, help="keeps the data sets for the next run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        heads = ("M rows", "shards", "ours", "duckdb", "ratio", "bar", "GiB")
        heads += ("M kept", "B/row", "B/key", "of raw")
        form = "{:<20} {:>6} {:>6} {:>8} {:>8} {:>9} {:>7} {:>8} {:>8} {:>6} {:>6} {:>7}"
        print(form.format("case", *heads))
        chosen = [c for c in CASES if options.case in (None, c.name)]
        met = [compare(case, folder, options.rows, options.repeat) for case in chosen]
        met.append(first_row(Path(temporary)))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
