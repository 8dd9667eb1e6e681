"""What each engine is asked to do for a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.nexmark import in_batch
from benchmarks.nexmark.about import command
from benchmarks.nexmark.changelog import Table
from benchmarks.nexmark.engines import Engine, Failed, Running, duckdb, sameriver
from benchmarks.nexmark.equality import difference
from benchmarks.nexmark.run import arguments, readable
from benchmarks.nexmark.scripts import NAMES, query
from benchmarks.nexmark.turns import (
    Plan,
    Processes,
    came_to,
    compared,
    figures,
    insert,
    measured,
    reason,
    statements,
)
from benchmarks.nexmark.write import FORMATS, write
from duckdb import connect

from sameriver import Session

EVENTS = 2_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nexmark")
    for format in FORMATS:
        write(format, folder, EVENTS, rate=100)
    return folder


@pytest.fixture(scope="module")
def theirs() -> Iterator[Running]:
    with Running(duckdb()) as running:
        yield running


def plan(folder: Path, *, quick: bool = True) -> Plan:
    return Plan(format="csv", events=EVENTS, repeat=1, quick=quick, folder=folder, small=folder)


def counted(rows: Sequence[tuple[object, ...]]) -> Table:
    return Table("|".join(map(str, row)) for row in rows)


def test_what_has_no_meaning_in_batch_is_left_out(folder: Path) -> None:
    assert {name for name in NAMES if insert(duckdb(), name, folder) is None} == {"q10", "q12"}
    assert all(insert(sameriver({}), name, folder) for name in NAMES)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"q10", "q12"}))
def test_duckdb_takes_every_query(name: str, format: str, folder: Path, theirs: Running) -> None:
    theirs.setup(statements(theirs.engine, name, format, folder))
    text = insert(theirs.engine, name, folder)
    assert text is not None
    theirs.run(text)


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *((name, "csv") for name in ("q0", "q2", "q11", "q13", "q20", "q22", "q23")),
        *((name, format) for name in ("q3", "q8", "q14") for format in FORMATS),
    ],
)
def test_duckdb_and_we_come_to_the_same_table(name: str, format: str, folder: Path) -> None:
    select = in_batch.select(name, folder)
    assert select is not None
    session, connection = Session(), connect()
    session.execute(";\n".join(statements(sameriver({}), name, format, folder)) + ";")
    for statement in statements(duckdb(), name, format, folder):
        connection.execute(statement)
    found = counted(session.sql(query(name, folder).select).to_polars().rows())
    assert difference(found, counted(connection.execute(select).fetchall())) == ""
    assert found


def test_an_engine_that_ended_is_started_anew(folder: Path) -> None:
    processes = Processes()
    first = processes.of(sameriver({}))
    assert processes.of(sameriver({})) is first
    first.kill()
    with pytest.raises(Failed, match="sameriver ended"):
        came_to(first, "q2", "csv", folder)
    second = processes.of(sameriver({}))
    assert came_to(second, "q2", "csv", folder)
    processes.end()
    assert not second.alive


def test_each_turn_has_a_job_that_is_not_counted(folder: Path) -> None:
    engines = [sameriver({}), duckdb()]
    twice = replace(plan(folder, quick=False), repeat=2)
    (found,) = figures(["q2"], twice, engines)
    for runs in found.runs.values():
        assert len(runs.seconds) == 2
        assert len(runs.rested) == 1
        assert runs.whole is not None
        assert runs.whole > runs.seconds[0]
    assert found.equal == "-"
    assert found.ratio("duckdb") is not None


def test_a_query_that_an_engine_refuses_is_told(folder: Path) -> None:
    broken = Engine("sameriver", "serve_sameriver", options={"parallelism.default": "none"})
    processes = Processes()
    found = measured("q0", plan(folder), [broken, duckdb()], processes)
    processes.end()
    assert found.equal.startswith("failed: sameriver: UserError")
    assert found.rate("sameriver") is None
    assert found.rate("duckdb") is not None


def test_the_innermost_cause_of_a_failure_is_told() -> None:
    said = "flink: failed | here\n\tat org.X\nCaused by: first\n\tat org.Y\nCaused by: last\n"
    assert reason(said) == "flink: failed / here Caused by: last"


def test_results_by_the_clock_are_not_compared(folder: Path) -> None:
    assert compared("q12", plan(folder), {}) == "by the clock"


def test_the_command_is_told_without_paths() -> None:
    given = ["--quick", "--flink", "/somewhere/python", "--queries", "q0,q1", "--write=page.md"]
    assert command(given) == "python -m benchmarks.nexmark.run --quick --queries q0,q1"


def test_without_jars_csv_is_read_instead_of_parquet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert readable(["parquet", "json"], [], tmp_path) == ["csv", "json"]
    assert "CSV is read instead" in capsys.readouterr().out
    assert readable(["parquet", "json"], [tmp_path / "x.jar"], tmp_path) == ["parquet", "json"]
    assert readable(["json"], [], tmp_path) == ["json"]
    assert capsys.readouterr().out == ""


def test_a_query_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "python").touch()
    given = ["--flink", str(tmp_path / "python")]
    assert arguments([*given, "--quick"]).events == 200_000
    with pytest.raises(SystemExit):
        arguments([*given, "--queries", "q0,q6"])
    assert "no query 'q6'" in capsys.readouterr().err
