"""The engines that are compared, each in a process of its own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FLINK_HEAP = "2g"
"""Largest Java heap."""
LIMIT = 300
"""Seconds that an engine may take to answer."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is started, and its options, the same for all queries.

    Attributes:
        module: what serves it.
        python: of its process.
        jars: what Flink needs besides its own.
    """

    name: str
    module: str
    python: Path = Path(sys.executable)
    options: dict[str, str] = field(default_factory=dict)
    jars: tuple[Path, ...] = ()


def sameriver(options: dict[str, str]) -> Engine:
    """Ours, with the options of the user and defaults otherwise."""
    return Engine("sameriver", "serve_sameriver", options=options)


def flink(python: Path, jars: Sequence[Path] = ()) -> Engine:
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
    return Engine("flink", "serve_flink", python, options, tuple(jars))


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
        with suppress(BrokenPipeError):
            self._process.communicate()
        self._said.close()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def setup(self, statements: Sequence[str]) -> None:
        """Begins anew with these tables."""
        options, jars = self.engine.options, self.engine.jars
        if jars:
            options = options | {"pipeline.jars": ";".join(jar.as_uri() for jar in jars)}
        self._ask("setup", options=options, statements=list(statements))

    def run(self, insert: str) -> float:
        """The engine's own time of a job in seconds."""
        return float(self._ask("run", insert=insert))

    def peak(self) -> int:
        """Most memory so far in bytes, resident."""
        return int(self._ask("peak"))

    def _ask(self, do: str, **arguments: object) -> Any:
        answer = json.loads(self._answer(json.dumps({"do": do, **arguments})))
        if "error" in answer:
            raise Failed(f"{self.engine.name}: {answer['error']}")
        return answer["result"]

    def _answer(self, request: str) -> str:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        with suppress(BrokenPipeError):
            print(request, file=asked, flush=True)
        if not select.select([answers], [], [], LIMIT)[0]:
            self.kill()
            raise Failed(f"{self.engine.name} took more than {LIMIT} s")
        line = answers.readline()
        if not line:
            self._said.seek(0)
            raise Failed(f"{self.engine.name} ended: {self._said.read()[-2000:]}")
        return line
