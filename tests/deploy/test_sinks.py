"""Sinks of a script that changes: what waits in them shows, and nothing comes twice."""

from __future__ import annotations

import os
import time
from pathlib import Path

import polars as pl
import pytest

from sameriver import Session, StateDir, UserError
from sameriver.checkpoint.folder import StateFolder
from sameriver.deploy.versions import rollback
from sameriver.engine.driver import Progress

ROWS = pl.DataFrame({"k": [i % 7 for i in range(300)], "v": [i * i % 31 for i in range(300)]})
TOTALS = "INSERT INTO totals SELECT k, COUNT(*) FROM t GROUP BY k;"
FEWER = "INSERT INTO totals SELECT k, COUNT(*) FROM t WHERE v > 3 GROUP BY k;"
PLAIN = "INSERT INTO plain SELECT k, v FROM t;"
OTHER = "INSERT INTO other SELECT k, v FROM t;"


class _Crash(Exception):
    """Stands for ``kill -9``."""


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is to outlive these tests."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


class Script:
    """Statement sets over the same tables, with their state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"

    def sql(self, *inserts: str) -> str:
        tables = "".join(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem',"
            f" 'path' = '{self.folder / name}', 'format' = '{form}');"
            for name, columns, form in (
                ("totals", "k BIGINT, n BIGINT", "debezium-json"),
                ("plain", "k BIGINT, v BIGINT", "csv"),
                ("other", "k BIGINT, v BIGINT", "csv"),
            )
        )
        return f"{tables} EXECUTE STATEMENT SET BEGIN {' '.join(inserts)} END;"

    def run(
        self, *inserts: str, crash: int | None = None, interval: int = 1, backfill: bool = False
    ) -> None:
        """Runs to the end, or crashes when that many rows have been read in this run."""
        session = Session(
            {
                "sameriver.batch.rows": "10",
                "execution.checkpointing.interval": f"{interval} ms",
            }
        )
        session.register("t", ROWS)

        def watch(progress: Progress) -> None:
            if crash is not None and progress.rows_in >= crash:
                raise _Crash
            time.sleep(0.002)

        try:
            session.execute(
                self.sql(*inserts), state=StateDir(self.state, backfill=backfill), progress=watch
            )
        except _Crash:
            assert crash is not None

    def written(self, table: str) -> pl.DataFrame:
        session = Session()
        session.execute(self.sql(PLAIN).split("EXECUTE")[0])
        return session.sql(f"SELECT * FROM {table}").to_polars().sort(pl.all())


def totals(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("k").agg(n=pl.len().cast(pl.Int64)).sort("k")


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


def test_what_waits_in_a_dropped_sink_shows(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(TOTALS)
    plain = script.written("plain")
    assert 0 < plain.height <= 150
    assert plain.equals(ROWS[: plain.height].sort(pl.all()))
    assert script.written("totals").equals(totals(ROWS))


def test_a_renamed_sink_goes_on_where_the_old_one_stood(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(TOTALS, OTHER)
    both = pl.concat([script.written("plain"), script.written("other")])
    assert script.written("plain").height > 0
    assert both.sort(pl.all()).equals(ROWS.sort(pl.all()))


def test_a_state_and_a_plain_sink_come_and_go(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(OTHER)
    read = script.written("plain").height
    assert script.written("other").equals(ROWS[read:].sort(pl.all()))
    assert script.written("totals").equals(totals(ROWS[:read]))


@pytest.mark.parametrize("crashes", [(0,), (30,), (0, 0), (60, 10)])
def test_crashes_after_a_backfill(script: Script, crashes: tuple[int, ...]) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    for rows in crashes:
        script.run(FEWER, PLAIN, crash=rows, interval=10_000, backfill=True)
    script.run(FEWER, PLAIN, backfill=True)
    assert script.written("totals").equals(totals(ROWS.filter(pl.col("v") > 3)))
    assert script.written("plain").equals(ROWS.sort(pl.all()))


def test_a_change_before_the_last_one_was_told(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(FEWER, PLAIN, crash=0, interval=10_000, backfill=True)
    script.run(FEWER.replace("> 3", "> 9"), PLAIN, backfill=True)
    assert script.written("totals").equals(totals(ROWS.filter(pl.col("v") > 9)))


def test_other_columns_before_the_last_change_was_told(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(FEWER, PLAIN, crash=0, interval=10_000, backfill=True)
    other = script.sql(FEWER).replace("n BIGINT", "n DOUBLE")
    session = Session()
    session.register("t", ROWS)
    with pytest.raises(UserError) as refused:
        session.execute(other, state=StateDir(script.state, backfill=True))
    assert refused.value.code == "NOT_TOLD_YET"


def test_a_backfill_goes_back_after_a_crash(script: Script) -> None:
    script.run(TOTALS, PLAIN, crash=150)
    script.run(FEWER, PLAIN, crash=0, interval=10_000, backfill=True)
    rollback(StateFolder.find(script.state), 0)
    script.run(TOTALS, PLAIN)
    assert script.written("totals").equals(totals(ROWS))
    assert script.written("plain").equals(ROWS.sort(pl.all()))


def test_statements_do_not_become_one(script: Script) -> None:
    head = script.sql(PLAIN).split("EXECUTE")[0]
    session = Session()
    session.register("t", ROWS)
    session.execute(head + TOTALS + PLAIN, state=script.state)
    with pytest.raises(UserError) as refused:
        script.run(TOTALS, PLAIN)
    assert refused.value.code == "JOBS_MERGED"


def test_new_statements_stand_behind_those_that_ran(script: Script) -> None:
    head = script.sql(PLAIN).split("EXECUTE")[0]

    def run(*inserts: str) -> None:
        session = Session()
        session.register("t", ROWS)
        session.execute(head + " ".join(inserts), state=script.state)

    run(TOTALS, PLAIN)
    with pytest.raises(UserError) as refused:
        run(OTHER, TOTALS, PLAIN)
    assert refused.value.code == "NOT_IN_ORDER"
    run(TOTALS, PLAIN, OTHER)
    assert script.written("other").equals(ROWS.sort(pl.all()))
    assert script.written("plain").equals(ROWS.sort(pl.all()))


@pytest.mark.parametrize("crashes", [(), (0,), (40, 0)])
def test_a_new_plain_sink_is_filled_from_history(script: Script, crashes: tuple[int, ...]) -> None:
    script.run(TOTALS, crash=150)
    for rows in crashes:
        script.run(TOTALS, PLAIN, crash=rows, interval=10_000, backfill=True)
    script.run(TOTALS, PLAIN, backfill=True)
    assert script.written("plain").equals(ROWS.sort(pl.all()))
    assert script.written("totals").equals(totals(ROWS))


def test_without_a_backfill_a_new_plain_sink_has_what_comes(script: Script) -> None:
    script.run(TOTALS, crash=150)
    script.run(TOTALS, PLAIN)
    assert 0 < script.written("plain").height < ROWS.height
