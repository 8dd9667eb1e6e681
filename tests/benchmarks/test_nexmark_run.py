"""What each engine is asked to do for a query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.nexmark import in_batch
from benchmarks.nexmark.engines import Engine, Running, duckdb, sameriver
from benchmarks.nexmark.equality import difference
from benchmarks.nexmark.run import Plan, command, compared, insert, measured, statements
from benchmarks.nexmark.scripts import NAMES, query
from benchmarks.nexmark.write import write

EVENTS = 2_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nexmark")
    write("csv", folder, EVENTS, rate=100)
    return folder


@pytest.fixture(scope="module")
def ours() -> Iterator[Running]:
    with Running(sameriver({})) as running:
        yield running


@pytest.fixture(scope="module")
def theirs() -> Iterator[Running]:
    with Running(duckdb()) as running:
        yield running


def plan(folder: Path) -> Plan:
    return Plan(format="csv", events=EVENTS, repeat=1, quick=True, folder=folder, small=folder)


def test_what_has_no_meaning_in_batch_is_left_out(folder: Path) -> None:
    assert {name for name in NAMES if insert(duckdb(), name, folder) is None} == {"q10", "q12"}
    assert all(insert(sameriver({}), name, folder) for name in NAMES)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"q10", "q12"}))
def test_duckdb_takes_every_query(name: str, folder: Path, theirs: Running) -> None:
    theirs.setup(statements(theirs.engine, name, "csv", folder))
    text = insert(theirs.engine, name, folder)
    assert text is not None
    theirs.run(text)


@pytest.mark.parametrize("name", ["q0", "q2", "q11", "q13", "q20", "q22", "q23"])
def test_both_come_to_the_same_table(
    name: str, folder: Path, ours: Running, theirs: Running
) -> None:
    select = in_batch.select(name, folder)
    assert select is not None
    ours.setup(statements(ours.engine, name, "csv", folder))
    theirs.setup(statements(theirs.engine, name, "csv", folder))
    found = ours.collect(query(name, folder).select)
    assert difference(found, theirs.collect(select)) == ""
    assert found


def test_a_query_that_an_engine_refuses_is_told(folder: Path) -> None:
    broken = Engine("sameriver", "serve_sameriver", options={"parallelism.default": "none"})
    with Running(broken) as running:
        found = measured("q0", plan(folder), {"sameriver": running})
    assert found.equal.startswith("failed: sameriver: UserError")
    assert found.rate("sameriver") is None


def test_results_by_the_clock_are_not_compared(folder: Path) -> None:
    assert compared("q12", plan(folder), {}) == "by the clock"


def test_the_command_is_told_without_paths() -> None:
    given = ["--quick", "--flink", "/somewhere/python", "--queries", "q0,q1", "--write=page.md"]
    assert command(given) == "python -m benchmarks.nexmark.run --quick --queries q0,q1"
