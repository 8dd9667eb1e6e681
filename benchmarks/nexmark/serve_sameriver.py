"""sameriver behind the requests of ``serving.py``."""

from __future__ import annotations

import time

from benchmarks.nexmark.serving import peak, serve, text

from sameriver import Session


class Sameriver:
    """A session for each query."""

    def setup(self, options: dict[str, str], statements: list[str]) -> None:
        self.session = Session(options)
        self.session.execute(";\n".join(statements) + ";")

    def run(self, insert: str) -> float:
        """Seconds from text to end of job, planning included."""
        started = time.perf_counter()
        self.session.execute(f"{insert};")
        return time.perf_counter() - started

    def collect(self, query: str) -> list[list[str | None]]:
        """The rows that all changes add up to."""
        table = self.session.sql(query).to_polars()
        return [list(map(text, row)) for row in table.rows()]

    def peak(self) -> int:
        return peak()


if __name__ == "__main__":
    serve(Sameriver())
