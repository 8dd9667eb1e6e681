from __future__ import annotations

import gzip
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import polars as pl
import pytest
import zstandard
from connector_tables import context, drain, file_options, positions, sink, source
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.connectors.connector import Position, Source, TableContext

ONE = Schema.of([("a", types.INT)])
TWO = Schema.of([("a", types.INT), ("b", types.STRING)])
FORMATS = ["csv", "json", "debezium-json", "parquet", "raw", "csv.gz", "csv.zst"]


WATCH = {"source.monitor-interval": "1 ms"}


def opened(
    path: Path, position: Position | None = None, more: Mapping[str, str] | None = None
) -> Source:
    made = source(context(ONE, file_options(path, "csv") | dict(more or {})))
    if position is not None:
        made.seek(json.loads(json.dumps(position)))
    return made


def fill(path: Path, *values: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{value}\n" for value in values))
    return path


def add(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def values(made: Source) -> list[object]:
    rows = drain(made).rows
    return rows.to_series().to_list() if rows.width else []


def begun(
    path: Path, count: int, more: Mapping[str, str] | None = None
) -> tuple[list[object], Position]:
    """The first rows, and where the source stands then."""
    made = opened(path, more=more)
    taken: list[object] = []
    while True:
        batch = made.poll(count - len(taken))
        taken += [] if batch.changes is None else batch.changes.rows.to_series().to_list()
        if len(taken) == count or batch.finished:
            return taken, batch.position


# Any format, any batches, any place to stop.


def written(folder: Path, format: str, files: Sequence[int]) -> tuple[Schema, dict[str, str]]:
    """A table of files of so many rows, and its options."""
    schema = Schema.of([("b", types.STRING)]) if format == "raw" else TWO
    plain, _, suffix = format.partition(".")
    first = 0
    for number, count in enumerate(files):
        texts = [f"text {n}" * (n % 7) + "é" for n in range(first, first + count)]
        frame = pl.DataFrame({"a": range(first, first + count), "b": texts})
        rows = frame.cast({"a": pl.Int32}).select(schema.names)
        target = sink(context(schema, file_options(folder / str(number), plain)))
        target.write(Changes(rows))
        target.close()
        first += count
    for file in folder.rglob("part-*") if suffix else ():
        data = file.read_bytes()
        packed = gzip.compress(data) if suffix == "gz" else zstandard.compress(data)
        file.with_name(f"{file.name}.{suffix}").write_bytes(packed)
        file.unlink()
    return schema, file_options(folder, plain)


@pytest.mark.parametrize("format", FORMATS)
def test_rows_before_and_after_any_position_are_all_rows(
    format: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=12, deadline=None)
    @given(
        files=st.lists(st.integers(0, 40), min_size=1, max_size=4),
        steps=st.lists(st.integers(1, 30), min_size=1, max_size=6),
        again=st.integers(1, 50),
    )
    def check(files: list[int], steps: list[int], again: int) -> None:
        schema, options = written(tmp_path_factory.mktemp("files"), format, files)
        table = context(schema, options)
        everything = drain(source(table)).rows
        first, before = source(table), 0
        for turn in range(1 << 10):
            batch = first.poll(steps[turn % len(steps)])
            before += 0 if batch.changes is None else len(batch.changes)
            second = source(table)
            second.seek(json.loads(json.dumps(batch.position)))
            after = drain(second, rows=again).rows
            assert before + after.height == everything.height
            assert after.height == 0 or after.equals(everything[before:])
            if batch.finished:
                break

    check()


@pytest.mark.parametrize("format", ["csv", "csv.gz", "json", "parquet"])
def test_positions_in_files_of_many_pieces(format: str, tmp_path: Path) -> None:
    schema, options = written(tmp_path, format, [30_000, 600_000 if format == "parquet" else 1])
    everything = drain(source(context(schema, options)), rows=1 << 20).rows
    first, before = source(context(schema, options)), 0
    while True:
        batch = first.poll(17_001)
        before += 0 if batch.changes is None else len(batch.changes)
        second = source(context(schema, options))
        second.seek(batch.position)
        after = drain(second, rows=1 << 20).rows
        assert before + after.height == everything.height
        assert after.height == 0 or after.equals(everything[before:])
        if batch.finished:
            return


# Other files than at the time.


def test_new_files_are_read_wherever_they_sort(tmp_path: Path) -> None:
    fill(tmp_path / "b.csv", 1, 2)
    fill(tmp_path / "d.csv", 3, 4)
    taken, position = begun(tmp_path, 3)
    fill(tmp_path / "a.csv", 10)
    fill(tmp_path / "c.csv", 11)
    fill(tmp_path / "e.csv", 12)
    assert taken == [1, 2, 3]
    assert values(opened(tmp_path, position)) == [4, 10, 11, 12]


def test_a_file_that_is_done_with_may_go(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", 1, 2)
    fill(tmp_path / "b.csv", 3)
    taken, position = begun(tmp_path, 2)
    (tmp_path / "a.csv").unlink()
    assert taken == [1, 2]
    assert values(opened(tmp_path, position)) == [3]


def test_lines_added_in_between_are_read(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", 1, 2)
    fill(tmp_path / "b.csv", 3, 4)
    _, position = begun(tmp_path, 3)
    add(tmp_path / "a.csv", "10\n")
    add(tmp_path / "b.csv", "11\n")
    assert values(opened(tmp_path, position)) == [4, 11, 10]


def test_a_row_that_was_mended_is_read(tmp_path: Path) -> None:
    count = 40_000
    file = fill(tmp_path / "a.csv", *range(count))
    text = file.read_text()
    file.write_text(text.replace("\n39000\n", "\n39x\n"))
    taken, position = begun(tmp_path, 5_000)
    with pytest.raises(ExternalError, match="BAD_ROW"):
        values(opened(tmp_path, position))
    file.write_text(text)
    assert taken + values(opened(tmp_path, position)) == list(range(count))


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("change", ["shorter", "other", "begun anew"])
def test_a_changed_file_is_named(change: str, done: bool, tmp_path: Path) -> None:
    count = 30_000
    file = fill(tmp_path / "a.csv", *range(count))
    _, position = begun(tmp_path, count if done else 20_000)
    if change == "shorter":
        fill(file, 0, 1)
    elif change == "other":
        fill(file, *range(1, count + 1))
    else:
        fill(file, *range(1, 5))
    with pytest.raises(ExternalError, match=r"FILE_CHANGED.*a\.csv"):
        values(opened(tmp_path, position))


def test_an_unfinished_row_that_went_on_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n2")
    fill(tmp_path / "b.csv", 3, 4)
    taken, position = begun(tmp_path, 3)
    add(tmp_path / "a.csv", "00\n")
    assert taken == [1, 2, 3]
    with pytest.raises(ExternalError, match=r"FILE_CHANGED.*a\.csv.*not finished"):
        values(opened(tmp_path, position))


def resumed(table: TableContext, position: Position) -> Changes:
    made = source(table)
    made.seek(position)
    return drain(made)


@pytest.mark.parametrize("format", ["csv.gz", "parquet"])
def test_files_that_cannot_grow_must_stay_as_they_are(format: str, tmp_path: Path) -> None:
    schema, options = written(tmp_path, format, [3, 3])
    table = context(schema, options)
    for taken in (1, 4):
        position = next(p for p, done in positions(source(table), 1) if done == taken)
        assert len(resumed(table, position)) == 6 - taken
        (file,) = (tmp_path / "0").iterdir()
        before = file.read_bytes()
        add(file, "more")
        with pytest.raises(ExternalError, match="FILE_CHANGED"):
            resumed(table, position)
        file.write_bytes(before)


def test_a_folder_may_move(tmp_path: Path) -> None:
    fill(tmp_path / "in" / "a.csv", 1, 2)
    fill(tmp_path / "in" / "b.csv", 3, 4)
    _, position = begun(tmp_path / "in", 3)
    (tmp_path / "in").rename(tmp_path / "moved")
    assert values(opened(tmp_path / "moved", position)) == [4]


def test_another_folder_is_not_taken_for_the_first(tmp_path: Path) -> None:
    fill(tmp_path / "in" / "a.csv", 1, 2)
    fill(tmp_path / "in" / "b.csv", 3)
    _, position = begun(tmp_path / "in", 2)
    fill(tmp_path / "other" / "a.csv", 5, 6)
    with pytest.raises(ExternalError, match=r"FILE_CHANGED.*other/a\.csv"):
        values(opened(tmp_path / "other", position))


def test_one_file_and_patterns_have_positions_too(tmp_path: Path) -> None:
    fill(tmp_path / "x1.csv", 1, 2)
    fill(tmp_path / "x2.csv", 3)
    for path, all_rows in ((tmp_path / "x1.csv", [1, 2]), (tmp_path / "x*.csv", [1, 2, 3])):
        taken, position = begun(path, 1)
        assert taken + values(opened(path, position)) == all_rows


def test_positions_share_the_names_of_finished_files(tmp_path: Path) -> None:
    for number in range(1200):
        fill(tmp_path / f"{number:05}.csv", *range(3))
    made = opened(tmp_path)
    found = [made.poll(2).position for _ in range(2400)]
    chunks: list[dict[str, object]] = []
    for position in found:
        chunks += cast("list[dict[str, object]]", position["done"])
    assert len({id(chunk) for chunk in chunks}) <= 1200
    assert max(map(len, chunks)) == 512
    assert len(cast("list[object]", found[-1]["done"])) == 3


# Tailing.


def look(made: Source, rows: int = 1000) -> tuple[list[object], Position]:
    """Rows that come within two looks, and where the source stands then."""
    found: list[object] = []
    quiet = 0
    while True:
        batch = made.poll(rows)
        assert not batch.finished
        if batch.changes is not None:
            found += batch.changes.rows.to_series().to_list()
        elif quiet < 2:
            quiet += 1
            time.sleep(0.002)
        else:
            return found, batch.position


def news(made: Source) -> list[object]:
    return look(made)[0]


def test_a_watched_folder_never_ends(tmp_path: Path) -> None:
    fill(tmp_path / "b.csv", 1)
    made = opened(tmp_path, more=WATCH)
    assert not made.bounded
    assert news(made) == [1]
    fill(tmp_path / "a.csv", 2)
    fill(tmp_path / "c" / "d.csv", 3)
    fill(tmp_path / ".hidden.csv", 9)
    assert news(made) == [2, 3]
    assert news(made) == []


def test_lines_that_are_added_come(tmp_path: Path) -> None:
    file = fill(tmp_path / "a.csv", 1)
    made = opened(tmp_path, more=WATCH)
    assert news(made) == [1]
    add(file, "2\n3")
    assert news(made) == [2]
    add(file, "4\n")
    assert news(made) == [34]


@pytest.mark.parametrize("format", ["csv", "json", "raw", "debezium-json"])
def test_growth_one_byte_at_a_time(format: str, tmp_path: Path) -> None:
    schema, options = written(tmp_path / "whole", format, [5])
    (file,) = (tmp_path / "whole" / "0").iterdir()
    text = file.read_bytes()
    grown = tmp_path / "grown"
    grown.mkdir()
    table = context(schema, options | {"path": str(grown)} | WATCH)
    made, found = source(table), list[object]()
    for at in range(len(text)):
        with (grown / "a").open("ab") as out:
            out.write(text[at : at + 1])
        rows, position = look(made, rows=2)
        found += rows
        if at % 7 == 0:
            made = source(table)
            made.seek(json.loads(json.dumps(position)))
    assert found == drain(source(context(schema, options))).rows.to_series().to_list()


def test_a_watched_folder_goes_on_after_a_restart(tmp_path: Path) -> None:
    file = fill(tmp_path / "a.csv", 1, 2, 3)
    taken, position = begun(tmp_path, 2, more=WATCH)
    add(file, "4\n")
    fill(tmp_path / "0.csv", 5)
    assert taken == [1, 2]
    assert news(opened(tmp_path, position, more=WATCH)) == [3, 4, 5]


def test_a_file_done_with_may_go_after_its_last_row(tmp_path: Path) -> None:
    file = fill(tmp_path / "a.csv", 1, 2)
    _, position = begun(tmp_path, 2, more=WATCH)
    file.unlink()
    made = opened(tmp_path, position, more=WATCH)
    fill(tmp_path / "b.csv", 3)
    assert news(made) == [3]


def test_a_file_that_was_cut_or_rotated_stops_the_job(tmp_path: Path) -> None:
    file = fill(tmp_path / "a.csv", 1, 2, 3)
    made = opened(tmp_path, more=WATCH)
    assert news(made) == [1, 2, 3]
    fill(file, 7)
    with pytest.raises(ExternalError, match=r"FILE_CHANGED.*a\.csv.*2 bytes, and had 6"):
        news(made)


def test_a_pattern_may_match_nothing_yet(tmp_path: Path) -> None:
    made = opened(tmp_path / "x*.csv", more=WATCH)
    assert news(made) == []
    fill(tmp_path / "x1.csv", 1)
    assert news(made) == [1]
    with pytest.raises(ExternalError, match="NO_SUCH_FILE"):
        opened(tmp_path / "typo", more=WATCH)


def test_paths_can_be_picked_by_an_expression(tmp_path: Path) -> None:
    fill(tmp_path / "x" / "a.csv", 1)
    fill(tmp_path / "y" / "a.csv", 2)
    assert values(opened(tmp_path, more={"source.path.regex-pattern": r".*/x/[a-c]\.csv"})) == [1]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("source.monitor-interval", "0 s", "BAD_OPTION"),
        ("source.monitor-interval", "often", "BAD_DURATION"),
        ("source.path.regex-pattern", "(", "BAD_OPTION"),
        ("source.monitor", "1 s", "UNKNOWN_OPTION"),
    ],
)
def test_wrong_options(key: str, value: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        opened(tmp_path, more={key: value})
    assert caught.value.code == code
