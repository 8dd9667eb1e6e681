"""A sink killed at any system call, also while it recovers, gives the undisturbed output."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from connector_tables import context, drain, file_options, sink, source

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.connector import Committable, CommittingSink, TableContext
from sameriver.connectors.formats.text_writer import LineFile

SCHEMA = Schema.of([("a", types.INT), ("day", types.STRING)])
BATCHES = [[(n, "mon"), (n + 10, "tue" if n % 2 else "mon")] for n in range(4)]
EVERYTHING = sorted(row for batch in BATCHES for row in batch)


class Killed(BaseException):
    """The process died here."""


class Faults:
    """Kills, or fails with a full disk, at the n-th of the calls that touch the disk."""

    def __init__(self, patch: pytest.MonkeyPatch, error: Callable[[], BaseException]) -> None:
        self.left = -1
        self._error = error
        self._counting = threading.Lock()
        patch.setattr(os, "fsync", lambda handle: None)
        for name in ("open", "fsync", "replace", "truncate", "unlink", "mkdir"):
            patch.setattr(os, name, self._guarded(getattr(os, name)))
        patch.setattr(LineFile, "write", self._torn(LineFile.write, _half_of_lines))
        patch.setattr(
            pl.DataFrame, "write_parquet", self._torn(pl.DataFrame.write_parquet, _half_of_frame)
        )

    def _hit(self) -> bool:
        with self._counting:
            self.left -= 1
            return self.left == -1

    def _guarded(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **named: Any) -> Any:
            if self._hit():
                raise self._error()
            made = call(*args, **named)
            if self._hit():
                raise self._error()
            return made

        return guarded

    def _torn(
        self, call: Callable[..., Any], half: Callable[[Any, Any], None]
    ) -> Callable[..., Any]:
        def torn(what: Any, *args: Any, **named: Any) -> Any:
            if self._hit():
                half(what, args[0])
                raise self._error()
            return call(what, *args, **named)

        return torn


def _half_of_lines(file: Any, rows: pl.DataFrame) -> None:
    data = bytes(file._lines(rows))
    with file._path.open("ab") as out:
        out.write(data[: len(data) // 2])


def _half_of_frame(frame: pl.DataFrame, path: Path) -> None:
    path.write_bytes(b"PAR1")


class Engine:
    """Calls a sink as a job does: a checkpoint is safe, then its output is committed."""

    def __init__(self, table: TableContext) -> None:
        self.table = table
        self.safe: tuple[int, Committable] | None = None

    def run(self) -> None:
        target = sink(self.table)
        assert isinstance(target, CommittingSink)
        done, last = self.safe or (0, None)
        target.recover(None if last is None else json.loads(json.dumps(last)))
        for step in range(done, len(BATCHES)):
            rows = pl.DataFrame(BATCHES[step], schema=SCHEMA.to_polars(), orient="row")
            target.write(Changes(rows))
            if step != 1:
                prepared = target.prepare(last=step == len(BATCHES) - 1)
                self.safe = step + 1, prepared
                target.commit(prepared)
        target.close()


def table(path: Path, format: str, partitioned: bool) -> TableContext:
    options = file_options(path, format) | {
        "sink.rolling-policy.file-size": "14 b",
        "sink.partition-commit.policy.kind": "success-file",
    }
    return context(SCHEMA, options, partitioned_by=("day",) if partitioned else ())


def read(made: TableContext) -> list[tuple[object, ...]]:
    return sorted(drain(source(made)).rows.rows())


def killed(faults: Faults, engine: Engine, calls: int) -> bool:
    """Runs until the call; False if the run ended before."""
    faults.left = calls
    try:
        engine.run()
    except (Killed, ExternalError):
        return True
    finally:
        faults.left = -1
    return False


def every(faults: Faults, engine: Callable[[], Engine]) -> Iterator[Engine]:
    """An engine killed at each call of a run in turn."""
    calls = 0
    while killed(faults, made := engine(), calls):
        yield made
        calls += 1
    assert calls > 20


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_killed_at_any_call(
    format: str, partitioned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(range(1 << 20))
    faults = Faults(monkeypatch, Killed)

    def fresh() -> Engine:
        return Engine(table(tmp_path / str(next(numbers)), format, partitioned))

    for engine in every(faults, fresh):
        engine.run()
        assert read(engine.table) == EVERYTHING


def test_killed_again_while_it_recovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(1 << 20))
    faults = Faults(monkeypatch, Killed)

    def fresh() -> Engine:
        return Engine(table(tmp_path / str(next(numbers)), "csv", True))

    for number, engine in enumerate(every(faults, fresh)):
        if engine.safe is not None:
            killed(faults, engine, number % 23)
            killed(faults, engine, number % 7)
        engine.run()
        assert read(engine.table) == EVERYTHING
        names = [p.name for p in Path(engine.table.options["path"]).rglob(".*") if p.is_file()]
        assert engine.safe is not None
        assert not [name for name in names if str(engine.safe[1]["job"]) in name]


def test_a_full_disk_stops_with_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(range(1 << 20))
    full = OSError(28, "No space left on device")
    faults = Faults(monkeypatch, lambda: full)

    def fresh() -> Engine:
        return Engine(table(tmp_path / str(next(numbers)), "csv", False))

    calls, told = 0, list[str]()
    while faults.left < 0:
        engine = fresh()
        faults.left = calls
        try:
            engine.run()
        except ExternalError as error:
            told.append(str(error))
            engine.run()
        assert read(engine.table) == EVERYTHING
        calls += 1
    assert len(told) > 20
    shape = rf"\[UNWRITABLE_FILE\] '{tmp_path}.*No space left on device"
    assert all(re.match(shape, text) for text in told)
