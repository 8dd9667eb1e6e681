"""Jobs that are killed at random moments lose no row and repeat none.

A few kills by default; ``make test-slow`` sets ``KILLS`` for many.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from jobs import JOBS, committed, script, write_inputs

from sameriver import Session
from sameriver.operators.registry import OPERATORS
from sameriver.plan.physical.drop_update_before import DropUpdateBefore
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.sink_materializer import SinkMaterializer

KILLS = int(os.environ.get("KILLS", "0"))
"""How many there are at least, over all jobs."""
ROWS = 1500
OPTIONS = {
    "sameriver.batch.rows": "50",
    "sameriver.batch.latency": "1 ms",
    "execution.checkpointing.interval": "20 ms",
}
ELSEWHERE = {SinkMaterializer, DropUpdateBefore}
"""Operators in front of sinks that take upserts; none of those outlives a process."""


def test_the_jobs_use_every_operator(tmp_path: Path) -> None:
    used: set[type[PhysicalNode]] = set()
    for job in JOBS:
        for plan in Session().plan(script(job, tmp_path, tmp_path)):
            used.update(type(node) for root in plan.roots for node in _nodes(root))
    ours = {kind for kind in OPERATORS if kind.__module__.startswith("sameriver.")}
    assert ours - used == ELSEWHERE


def _nodes(node: PhysicalNode) -> list[PhysicalNode]:
    return [node, *(found for below in node.inputs for found in _nodes(below))]


def _run(sql: Path, state: Path, after: float | None, shards: int) -> int:
    """One life of the job, ended after so many seconds unless it ends before; its status."""
    options = {**OPTIONS, "parallelism.default": str(shards)}
    settings = [part for key, value in options.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "sameriver", "run", str(sql), "--state", str(state), *settings]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            _, error = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return -9
    assert process.returncode == 0, error.decode()
    return 0


def _first_checkpoint(sql: Path, state: Path) -> float:
    """Seconds from the start of a process until its job is under way."""
    started = time.monotonic()
    command = [sys.executable, "-m", "sameriver", "run", str(sql), "--state", str(state)]
    command += ["--set", "execution.checkpointing.interval=1 ms"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        while process.poll() is None and not any(state.glob("checkpoints/*/manifest.json")):
            time.sleep(0.01)
        process.kill()
    return time.monotonic() - started


def _killed(sql: Path, state: Path, least: int, chance: random.Random) -> int:
    """Runs a job to its end, killed on the way; how often it was."""
    startup = _first_checkpoint(sql, state)
    kills = 1
    while kills < least + 1:
        # Sometimes while it starts or restores, mostly while it works.
        after = startup * chance.uniform(0.5, 1.6)
        if _run(sql, state, after, chance.randint(1, 3)) == 0:
            return kills
        kills += 1
    assert _run(sql, state, None, 1) == 0
    return kills


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recovery") / "inputs"
    write_inputs(folder, ROWS)
    return folder


def _expected(job: str, inputs: Path, folder: Path) -> dict[str, Counter[str]]:
    Session().execute(script(job, inputs, folder / "undisturbed"))
    return committed(folder / "undisturbed")


@pytest.mark.parametrize("job", list(JOBS) if KILLS else ["aggregates"])
def test_killed_jobs_lose_and_repeat_nothing(job: str, inputs: Path, tmp_path: Path) -> None:
    expected = _expected(job, inputs, tmp_path)
    chance = random.Random(job)
    kills = wanted = 0
    wanted = -(-KILLS // len(JOBS)) or 3
    while kills < wanted:
        place = tmp_path / str(kills)
        place.mkdir()
        sql = place / "job.sql"
        sql.write_text(script(job, inputs, place / "out"), encoding="utf-8")
        kills += _killed(sql, place / "state", wanted - kills, chance)
        found = committed(place / "out")
        differing = {name for name in expected if expected[name] != found.get(name)}
        assert not differing, {n: (found.get(n, Counter()) - expected[n]) for n in differing}
    print(f"{job}: {kills} kills")
