"""A job that follows growing files into part files is killed at random moments.

A few kills by default; ``make test-slow`` sets ``KILLS`` for many.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pytest

KILLS = int(os.environ.get("KILLS", "0")) // 10
PATIENCE = 60.0
"""Longest wait for a process to do something, in seconds."""

JOB = """
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TABLE lines (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '{0}/in',
  'format' = 'csv', 'source.monitor-interval' = '10 ms');
CREATE TABLE parts (a INT, k INT) PARTITIONED BY (k) WITH ('connector' = 'filesystem',
  'path' = '{0}/out', 'format' = '{1}', 'sink.rolling-policy.rollover-interval' = '300 ms');
INSERT INTO parts SELECT a, MOD(a, 3) FROM lines;
"""


class Feeder(threading.Thread):
    """Adds lines to a few files, some of them in halves."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.count = 0
        self.ending = threading.Event()
        self._folder = folder
        folder.mkdir()

    def run(self) -> None:
        chance = random.Random(1)
        while not self.ending.is_set():
            lines = range(self.count, self.count + chance.randrange(1, 40))
            self.count = lines.stop
            text = "".join(f"{number},line {number}\n" for number in lines)
            middle = chance.randrange(len(text))
            with (self._folder / f"{chance.randrange(4)}.csv").open("a") as file:
                file.write(text[:middle])
                file.flush()
                time.sleep(0.01)
                file.write(text[middle:])


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sameriver", "run", str(folder / "job.sql")]
    command += ["--state", str(folder / "state")]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def saved(folder: Path) -> set[str]:
    return {path.parent.name for path in folder.glob("state/checkpoints/*/manifest.json")}


def shown(folder: Path, format: str) -> list[int]:
    rows: list[int] = []
    for file in folder.glob("out/k=*/part-*"):
        frame = (
            pl.read_csv(file, has_header=False)
            if format == "csv"
            else pl.read_parquet(file, hive_partitioning=False)
        )
        rows += frame.to_series().to_list()
    return sorted(rows)


@pytest.mark.parametrize("format", ["csv", "parquet"] if KILLS else ["csv"])
def test_each_line_is_shown_once(format: str, tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(JOB.format(tmp_path, format))
    feeder, chance = Feeder(tmp_path / "in"), random.Random(format)
    feeder.start()
    try:
        for _ in range(KILLS or 2):
            before = saved(tmp_path)
            with start(tmp_path) as process:
                wait(process, partial(_has_saved, tmp_path, before))
                time.sleep(chance.uniform(0, 0.5))
                process.kill()
    finally:
        feeder.ending.set()
        feeder.join()
    with start(tmp_path) as process:
        wait(process, lambda: len(shown(tmp_path, format)) >= feeder.count)
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error.decode()
    assert shown(tmp_path, format) == list(range(feeder.count))


def _has_saved(folder: Path, before: set[str]) -> bool:
    return len(saved(folder) - before) > 1


def wait(process: subprocess.Popen[bytes], until: Callable[[], bool]) -> None:
    """Waits for the process to have done something; it must not end."""
    deadline = time.monotonic() + PATIENCE
    while not until():
        assert process.poll() is None, process.communicate()[1].decode()
        assert time.monotonic() < deadline
        time.sleep(0.02)
