"""sameriver behind the requests of ``serving.py``."""

from __future__ import annotations

import time

from benchmarks.nexmark.serving import peak, serve

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

    def peak(self) -> int:
        return peak()


if __name__ == "__main__":
    serve(Sameriver())
