from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import polars as pl
import pytest
from connector_tables import context, drain, file_options, sink, source

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.connectors.connector import Committable, CommittingSink, TableContext

ONE = Schema.of([("a", types.INT)])
DAYS = Schema.of([("a", types.INT), ("day", types.STRING)])
ROLLING = "sink.rolling-policy."


def changes(*values: int) -> Changes:
    return Changes(pl.DataFrame({"a": values}, schema=ONE.to_polars()))


def days(*rows: tuple[int, str]) -> Changes:
    return Changes(pl.DataFrame(rows, schema=DAYS.to_polars(), orient="row"))


def table(path: Path, format: str = "csv", **more: str) -> TableContext:
    return context(ONE, file_options(path, format) | more)


def by_day(path: Path, **more: str) -> TableContext:
    options = file_options(path, "csv") | {f"sink.partition-commit.{k}": v for k, v in more.items()}
    return context(DAYS, options, partitioned_by=("day",))


def committing(made: TableContext, last: Committable | None = None) -> CommittingSink:
    """A sink as a job with checkpoints opens it; what it had prepared comes back as JSON."""
    opened = sink(made)
    assert isinstance(opened, CommittingSink)
    opened.recover(json.loads(json.dumps(last)))
    return opened


def shown(path: Path, format: str = "csv") -> list[int]:
    if not path.exists():
        return []
    rows = drain(source(context(ONE, file_options(path, format)))).rows
    return sorted(rows["a"].to_list()) if rows.width else []


def hidden(path: Path) -> list[str]:
    return sorted(file.name for file in path.rglob(".*") if file.is_file())


def clock(made: TableContext) -> ManualClock:
    return cast("ManualClock", made.clock)


# Without checkpoints.


def test_nothing_unfinished_stands_under_a_final_name(tmp_path: Path) -> None:
    target = sink(table(tmp_path / "out"))
    target.write(changes(1))
    assert shown(tmp_path / "out") == []
    target.flush()
    assert shown(tmp_path / "out") == [1]
    target.write(changes(2))
    target.abort()
    assert shown(tmp_path / "out") == [1]
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_a_sink_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    with pytest.raises(ExternalError, match="which is a file"):
        sink(table(tmp_path / "a.csv"))
    with pytest.raises(ExternalError, match="which is a pattern"):
        sink(table(tmp_path / "a*"))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_long_output_is_split(format: str, tmp_path: Path) -> None:
    target = sink(table(tmp_path / "out", format, **{f"{ROLLING}file-size": "16 b"}))
    for _ in range(6):
        target.write(changes(123, 456))
    assert shown(tmp_path / "out", format) == []
    target.close()
    assert len(list((tmp_path / "out").iterdir())) == 3
    assert len(shown(tmp_path / "out", format)) == 12


def test_more_partitions_than_open_files_are_allowed(tmp_path: Path) -> None:
    target = sink(by_day(tmp_path))
    target.write(days(*((number, f"d{number}") for number in range(1500))))
    target.close()
    assert len(list(tmp_path.iterdir())) == 1500


# Two steps.


def test_rows_are_shown_by_the_commit_and_not_before(tmp_path: Path) -> None:
    target = committing(table(tmp_path))
    target.write(changes(1, 2))
    prepared = target.prepare(last=True)
    assert shown(tmp_path) == []
    target.write(changes(3))
    target.commit(prepared)
    assert shown(tmp_path) == [1, 2]
    target.commit(target.prepare(last=True))
    assert shown(tmp_path) == [1, 2, 3]
    target.close()
    assert hidden(tmp_path) == []


def test_text_stays_in_progress_across_checkpoints(tmp_path: Path) -> None:
    made = table(tmp_path, **{f"{ROLLING}rollover-interval": "10 s"})
    target = committing(made)
    for step in range(3):
        target.write(changes(step))
        target.commit(target.prepare(last=False))
        assert shown(tmp_path) == []
    clock(made).advance(10_000)
    target.commit(target.prepare(last=False))
    assert shown(tmp_path) == [0, 1, 2]
    assert len(list(tmp_path.glob("part-*"))) == 1


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_compressed_files_go_on_from_a_checkpoint(kind: str, tmp_path: Path) -> None:
    made = table(tmp_path, **{"sink.compression": kind})
    first = committing(made)
    for step in range(3):
        first.write(changes(step))
        prepared = first.prepare(last=False)
    first.write(changes(9))
    first.abort()
    second = committing(made, prepared)
    second.write(changes(3))
    second.commit(second.prepare(last=True))
    assert shown(tmp_path) == [0, 1, 2, 3]
    assert {file.suffix for file in tmp_path.glob("part-*")} == {f".{kind}"}


def test_an_idle_file_is_finished(tmp_path: Path) -> None:
    made = table(tmp_path, **{f"{ROLLING}inactivity-interval": "10 s"})
    target = committing(made)
    for _ in range(3):
        target.write(changes(1))
        clock(made).advance(9_000)
        target.commit(target.prepare(last=False))
    assert shown(tmp_path) == []
    clock(made).advance(1_000)
    target.write(changes(2))
    target.commit(target.prepare(last=False))
    assert shown(tmp_path) == [1, 1, 1]


def test_parquet_is_finished_at_each_checkpoint(tmp_path: Path) -> None:
    target = committing(table(tmp_path, "parquet"))
    target.write(changes(1))
    target.commit(target.prepare(last=False))
    assert shown(tmp_path, "parquet") == [1]


def test_what_was_not_committed_is_prepared_again(tmp_path: Path) -> None:
    target = committing(table(tmp_path, "parquet"))
    target.write(changes(1))
    target.prepare(last=False)
    target.write(changes(2))
    target.commit(target.prepare(last=False))
    assert shown(tmp_path, "parquet") == [1, 2]


def test_a_run_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    first = committing(table(tmp_path))
    first.write(changes(1, 2))
    prepared = first.prepare(last=False)
    first.write(changes(3, 4))
    first.write(changes(5))
    first.abort()
    second = committing(table(tmp_path), prepared)
    assert shown(tmp_path) == [1, 2]
    second.write(changes(3))
    second.commit(second.prepare(last=True))
    second.close()
    assert shown(tmp_path) == [1, 2, 3]
    assert hidden(tmp_path) == []


def test_a_run_that_stops_shows_what_its_last_checkpoint_covers(tmp_path: Path) -> None:
    first = committing(table(tmp_path))
    first.write(changes(1, 2))
    prepared = first.prepare(last=False)
    first.commit(prepared)
    first.close()
    assert shown(tmp_path) == [1, 2]
    second = committing(table(tmp_path), prepared)
    second.write(changes(3))
    second.commit(second.prepare(last=False))
    second.write(changes(4))
    second.close()
    assert shown(tmp_path) == [1, 2]
    assert len(hidden(tmp_path)) == 1


def test_an_aborted_run_drops_what_no_checkpoint_knows(tmp_path: Path) -> None:
    target = committing(table(tmp_path))
    target.write(changes(1))
    target.abort()
    assert list(tmp_path.iterdir()) == []


def test_files_of_other_jobs_are_left_alone(tmp_path: Path) -> None:
    other = committing(table(tmp_path))
    other.write(changes(1))
    kept = other.prepare(last=False)
    target = committing(table(tmp_path))
    target.write(changes(2))
    prepared = target.prepare(last=False)
    target.abort()
    committing(table(tmp_path), prepared)
    other.write(changes(3))
    other.commit(other.prepare(last=True))
    assert shown(tmp_path) == [1, 2, 3]
    assert kept["job"] != prepared["job"]


def test_an_older_checkpoint_overwrites_nothing(tmp_path: Path) -> None:
    first = committing(table(tmp_path))
    first.write(changes(1))
    older = first.prepare(last=False)
    for number in (2, 3):
        first.write(changes(number))
        first.commit(first.prepare(last=True))
    first.close()
    second = committing(table(tmp_path), older)
    second.write(changes(2))
    second.commit(second.prepare(last=True))
    assert shown(tmp_path) == [1, 2, 2, 3]


def test_output_that_was_taken_away_is_not_missed(tmp_path: Path) -> None:
    first = committing(table(tmp_path))
    first.write(changes(1))
    prepared = first.prepare(last=True)
    first.commit(prepared)
    first.close()
    for file in tmp_path.glob("part-*"):
        file.unlink()
    second = committing(table(tmp_path), prepared)
    second.write(changes(2))
    second.commit(second.prepare(last=True))
    assert shown(tmp_path) == [2]


@pytest.mark.parametrize("last", [True, False])
def test_a_folder_that_is_gone_is_named(last: bool, tmp_path: Path) -> None:
    first = committing(table(tmp_path / "out"))
    first.write(changes(1))
    prepared = first.prepare(last=last)
    first.close()
    (tmp_path / "out").rename(tmp_path / "moved")
    with pytest.raises(ExternalError, match=r"(?s)OUTPUT_GONE.*part-.*wrote into '.*/out'"):
        committing(table(tmp_path / "out"), prepared)
    (tmp_path / "other").mkdir()
    with pytest.raises(ExternalError, match="OUTPUT_GONE"):
        committing(table(tmp_path / "other"), prepared)
    committing(table(tmp_path / "moved"), prepared)
    assert shown(tmp_path / "moved") == [1]


@pytest.mark.parametrize("last", [True, False])
def test_a_table_may_get_another_folder(last: bool, tmp_path: Path) -> None:
    first = committing(table(tmp_path / "out"))
    first.write(changes(1))
    prepared = first.prepare(last=last)
    first.write(changes(2))
    first.close()
    second = committing(table(tmp_path / "other"), prepared)
    second.write(changes(2))
    second.commit(second.prepare(last=True))
    second.close()
    assert (shown(tmp_path / "out"), shown(tmp_path / "other")) == ([1], [2])
    assert hidden(tmp_path) == []


def test_a_file_in_progress_that_was_cut_short_is_named(tmp_path: Path) -> None:
    first = committing(table(tmp_path))
    first.write(changes(1, 2))
    prepared = first.prepare(last=False)
    first.close()
    (file,) = tmp_path.glob(".inprogress-*")
    file.write_text("1\n")
    with pytest.raises(ExternalError, match=r"FILE_CHANGED.*holds 2 bytes, but 4"):
        committing(table(tmp_path), prepared)


def test_a_file_in_progress_that_vanishes_is_not_begun_anew(tmp_path: Path) -> None:
    target = committing(table(tmp_path))
    target.write(changes(1))
    (file,) = tmp_path.glob(".inprogress-part-*")
    file.unlink()
    target.write(changes(2))
    with pytest.raises(ExternalError, match="FILE_CHANGED"):
        target.prepare(last=False)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    target = committing(table(tmp_path / "file" / "out"))
    with pytest.raises(ExternalError, match=r"UNWRITABLE_FILE.*out"):
        target.write(changes(1))


# Partitions that are complete.


def test_complete_partitions_get_a_success_file(tmp_path: Path) -> None:
    made = by_day(tmp_path, **{"policy.kind": "success-file", "delay": "5 s"})
    target = committing(made)
    target.write(days((1, "mon")))
    target.commit(target.prepare(last=False))
    clock(made).advance(4_000)
    target.write(days((2, "mon"), (3, "tue")))
    target.commit(target.prepare(last=False))
    assert list(tmp_path.rglob("_SUCCESS")) == []
    clock(made).advance(1_000)
    prepared = target.prepare(last=False)
    target.abort()
    second = committing(made, prepared)
    assert list(tmp_path.rglob("_SUCCESS")) == [tmp_path / "day=mon" / "_SUCCESS"]
    second.write(days((4, "mon")))
    second.commit(second.prepare(last=True))
    assert (tmp_path / "day=tue" / "_SUCCESS").exists()
    assert sorted(drain(source(made)).rows.rows()) == [
        (1, "mon"), (2, "mon"), (3, "tue"), (4, "mon")
    ]  # fmt: skip


def test_success_files_without_checkpoints(tmp_path: Path) -> None:
    named = {"policy.kind": "success-file", "success-file.name": "_DONE", "delay": "1 h"}
    target = sink(by_day(tmp_path, **named))
    target.write(days((1, "mon")))
    target.flush()
    assert not (tmp_path / "day=mon" / "_DONE").exists()
    target.close()
    assert (tmp_path / "day=mon" / "_DONE").exists()


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        (f"{ROLLING}file-size", "many", "BAD_OPTION"),
        (f"{ROLLING}rollover-interval", "soon", "BAD_DURATION"),
        (f"{ROLLING}check-interval", "soon", "BAD_DURATION"),
        (f"{ROLLING}file-siz", "1 mb", "UNKNOWN_OPTION"),
        ("sink.compression", "lz4", "BAD_OPTION"),
        ("sink.partition-commit.trigger", "partition-time", "UNSUPPORTED"),
        ("sink.partition-commit.policy.kind", "metastore,success-file", "UNSUPPORTED"),
    ],
)
def test_wrong_options(key: str, value: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        sink(table(tmp_path, **{key: value}))
    assert caught.value.code == code


def test_columnar_formats_compress_by_themselves(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"(?s)UNSUPPORTED.*'parquet\.compression'"):
        sink(table(tmp_path, "parquet", **{"sink.compression": "gz"}))
