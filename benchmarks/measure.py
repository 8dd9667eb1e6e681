"""Runs one case once on one engine, in a process of its own, and prints seconds and memory; or the
memory of its state."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

from memory import memory

from cases import CASES, Case


def run_sameriver(case: Case, folder: Path) -> float:
    from sameriver.session import Session

    session = Session()
    started = time.perf_counter()
    session.execute(case.script(folder))
    return time.perf_counter() - started


def run_duckdb(case: Case, folder: Path) -> float:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    for name in case.reads:
        file = folder / f"{name}.parquet"
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{file}')")
    started = time.perf_counter()
    connection.execute(f"CREATE TEMP TABLE result AS {case.duckdb or case.sql}")
    return time.perf_counter() - started


def main(engine: str, name: str, folder: str) -> None:
    case = next(case for case in CASES if case.name == name)
    if engine == "state":
        print(json.dumps(asdict(memory(case, Path(folder)))))
        return
    run = {"sameriver": run_sameriver, "duckdb": run_duckdb}[engine]
    seconds = run(case, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "gib": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
