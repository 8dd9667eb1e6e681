"""DuckDB behind the requests of ``serving.py``: the limit of what a batch engine needs."""

from __future__ import annotations

import time

import duckdb
from benchmarks.nexmark.serving import peak, serve


class DuckDB:
    """A database in memory for each query."""

    def setup(self, options: dict[str, str], statements: list[str]) -> None:
        self.connection = duckdb.connect(config=dict(options))
        for statement in statements:
            self.connection.execute(statement)

    def run(self, insert: str) -> float:
        """Seconds until the whole result is kept."""
        started = time.perf_counter()
        self.connection.execute(insert)
        return time.perf_counter() - started

    def peak(self) -> int:
        return peak()


if __name__ == "__main__":
    serve(DuckDB())
