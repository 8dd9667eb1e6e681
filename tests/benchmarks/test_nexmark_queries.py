"""The queries of Nexmark: they plan over every source, and their tables are Flink's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from benchmarks.nexmark import changelog
from benchmarks.nexmark.answers import ANSWERS, EVENTS, RATE, digest
from benchmarks.nexmark.scripts import NAMES, generated, query, read
from benchmarks.nexmark.turns import BY_THE_CLOCK
from benchmarks.nexmark.write import FORMATS, write

from sameriver import Session

ANSWERED = json.loads(ANSWERS.read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same events in each format."""
    place = tmp_path_factory.mktemp("nexmark")
    for format in FORMATS:
        write(format, place, EVENTS, rate=RATE)
    return place


def found(source: list[str], name: str, folder: Path) -> list[object]:
    log = folder / "log"
    shutil.rmtree(log, ignore_errors=True)
    Session().execute(";\n".join([*source, query(name, folder, changelog.options(log)).text]))
    return digest(changelog.table(log))


def test_all_are_there() -> None:
    """q6 needs an OVER window over updates, which Flink SQL refuses."""
    assert len(NAMES) == 23
    assert set(ANSWERED) == {*NAMES} - {*BY_THE_CLOCK}


@pytest.mark.parametrize("name", NAMES)
def test_a_query_plans_over_every_source(name: str, tmp_path: Path) -> None:
    script = query(name, tmp_path)
    for source in (generated(1), *(read(format, tmp_path) for format in FORMATS)):
        statements = [*source, *script.setup, f"EXPLAIN {script.insert}"]
        explained = Session().execute(";\n".join(statements) + ";")[-1].to_polars().item()
        assert "Scan(table=[events]" in explained


@pytest.mark.parametrize("name", ANSWERED)
def test_a_query_gives_the_table_that_flink_gives(name: str, folder: Path) -> None:
    assert found(generated(EVENTS, rate=RATE), name, folder) == ANSWERED[name]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["q3", "q16"])
def test_events_are_the_same_in_every_format(name: str, format: str, folder: Path) -> None:
    assert found(read(format, folder), name, folder) == ANSWERED[name]


def test_q10_writes_a_folder_for_each_minute(folder: Path) -> None:
    shutil.rmtree(folder / "log", ignore_errors=True)
    script = query("q10", folder)
    Session().execute(";\n".join([*generated(EVENTS, rate=RATE), script.text]))
    (log,) = (folder / "log").glob("dt=2015-07-15/hm=00%3A00")
    lines = [line for part in log.glob("part-*") for line in part.read_text().splitlines()]
    assert len(lines) == EVENTS * 46 // 50
    assert (log / "_SUCCESS").exists()


def test_a_bid_of_the_same_user_counts_in_the_window_of_its_arrival() -> None:
    """q12 hangs on the clock: windows that are open at the end of the input don't fire."""
    script = query("q12", Path())
    session = Session()
    session.execute(";\n".join([*generated(EVENTS), *script.setup]) + ";")
    assert session.sql(script.select).to_polars().columns == [
        "bidder", "bid_count", "starttime", "endtime"
    ]  # fmt: skip
