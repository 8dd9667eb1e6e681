"""The engines that are compared, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FLINK_HEAP = "2g"
"""Largest Java heap."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is started, and its options, the same for all queries.

    Attributes:
        module: what serves it.
        python: of its process.
    """

    name: str
    module: str
    python: Path = Path(sys.executable)
    options: dict[str, str] = field(default_factory=dict)


def sameriver(options: dict[str, str]) -> Engine:
    """Ours, with the options of the user and defaults otherwise."""
    return Engine("sameriver", "serve_sameriver", options=options)


def flink(python: Path) -> Engine:
    """Flink as its documentation advises for one machine: heap state, object reuse, mini-batch."""
    options = {
        "parallelism.default": "2",
        "state.backend.type": "hashmap",
        "pipeline.object-reuse": "true",
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.allow-latency": "2 s",
        "table.exec.mini-batch.size": "5000",
        "table.optimizer.distinct-agg.split.enabled": "true",
    }
    return Engine("flink", "serve_flink", python, options)


def duckdb() -> Engine:
    """DuckDB with as many threads."""
    return Engine("duckdb", "serve_duckdb", options={"threads": "2"})


class Failed(Exception):
    """An engine refused or failed a job."""


class Running:
    """A running process of an engine; use it as a context manager.

    Attributes:
        engine: which one.
        started: when the process began, by ``time.perf_counter``.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.started = time.perf_counter()
        self._said = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [str(engine.python), "-m", f"benchmarks.nexmark.{engine.module}"],
            cwd=ROOT,
            env={**os.environ, "JVM_ARGS": f"-Xmx{FLINK_HEAP}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._said.close()

    def setup(self, statements: Sequence[str]) -> None:
        """Begins anew with these tables."""
        self._ask("setup", options=self.engine.options, statements=list(statements))

    def run(self, insert: str) -> float:
        """The engine's own time of a job in seconds."""
        return float(self._ask("run", insert=insert))

    def collect(self, query: str) -> list[tuple[str | None, ...]]:
        """The final table of a query, cells as text."""
        return [tuple(row) for row in self._ask("collect", query=query)]

    def peak(self) -> int:
        """Most memory so far in bytes, resident."""
        return int(self._ask("peak"))

    def _ask(self, do: str, **arguments: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"do": do, **arguments}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            self._said.seek(0)
            raise Failed(f"{self.engine.name} ended: {self._said.read()[-2000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(f"{self.engine.name}: {answer['error']}")
        return answer["result"]
