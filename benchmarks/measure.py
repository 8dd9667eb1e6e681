"""Runs one case once on one engine, in a process of its own, and prints seconds and memory."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from cases import CASES, Case


def run_sameriver(case: Case, path: Path) -> float:
    from sameriver.session import Session

    session = Session()
    started = time.perf_counter()
    session.execute(case.script(path))
    return time.perf_counter() - started


def run_duckdb(case: Case, path: Path) -> float:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{path}')")
    started = time.perf_counter()
    connection.execute(f"CREATE TEMP TABLE result AS {case.duckdb}")
    return time.perf_counter() - started


def main(engine: str, name: str, path: str) -> None:
    case = next(case for case in CASES if case.name == name)
    run = {"sameriver": run_sameriver, "duckdb": run_duckdb}[engine]
    seconds = run(case, Path(path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "gib": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
