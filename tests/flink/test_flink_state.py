"""The state folder of a job on Flink."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.savepoint import open_savepoint
from sameriver.common.errors import ExternalError, UserError
from sameriver.deploy.versions import FIRST, Version
from sameriver.flink.state import STOPPED, Entry, FlinkFolder, Job


def job(id: str) -> Job:
    return Job(cluster="localhost:1", local=True, id=id)


def entry(script: str = "SELECT 1;", id: str = "a") -> Entry:
    version = Version(
        number=0, started=1, way=FIRST, verdict=None, checkpoint=0, previous=0, savepoint="",
        exact=True, script=script,
    )  # fmt: skip
    return Entry(
        version=version, flink="2.3.0", sameriver="0", options={"a": "b"}, compiled="c",
        plan='{"ö": 1}', job=job(id),
    )  # fmt: skip


def add(folder: FlinkFolder, one: Entry) -> Entry:
    drafted = folder.draft(one)
    folder.settle(drafted)
    return drafted


def test_versions_are_read_as_they_were_written(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path / "state")
    assert folder.latest() is None
    made = [add(folder, entry(f"SELECT {n};")) for n in range(11)]
    assert [one.number for one in made] == list(range(1, 12))
    again = FlinkFolder.find(tmp_path / "state")
    assert again is not None
    assert again.entries() == made
    assert again.latest() == made[-1]


def test_a_draft_is_no_version(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    first = add(folder, entry())
    folder.draft(entry(id="b"))
    assert folder.entries() == [first]
    assert folder.drafts() == [job("b")]
    folder.forget_drafts()
    assert folder.drafts() == []
    assert add(folder, entry()).number == 2


def test_what_becomes_of_a_job(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    first = add(folder, entry())
    left = folder.put_job(first, replace(first.job, stands=STOPPED, savepoint="file:/s"))
    assert folder.latest() == left
    assert left.job.savepoint == "file:/s"


def test_the_last_checkpoint_that_is_whole(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    assert folder.last_checkpoint(job("a")) == ""
    for number, whole in ((9, True), (10, True), (11, False)):
        path = folder.checkpoints / "a" / f"chk-{number}"
        path.mkdir(parents=True)
        if whole:
            (path / "_metadata").touch()
    assert folder.last_checkpoint(job("a")) == str(folder.checkpoints / "a" / "chk-10")
    assert folder.last_checkpoint(job("b")) == ""
    assert folder.last_checkpoint(job("")) == ""


def test_what_nothing_refers_to_is_removed(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    for name in ("first", "second", "third", "old"):
        (folder.stops / name).mkdir()
    for id in ("a", "b", "c", "d"):
        (folder.checkpoints / id / "chk-1").mkdir(parents=True)
    (folder.savepoints / "mine").mkdir()
    one = add(folder, entry(id="a"))
    left = replace(one.job, stands=STOPPED, began="file:/stops/old", savepoint="file:///x/first")
    folder.put_job(one, left)
    began = entry(id="b")
    began = replace(began, version=replace(began.version, savepoint="file:/x/stops/first"))
    two = add(folder, began)
    running = replace(two.job, began=f"{folder.checkpoints}/d/chk-1", savepoint="file:/x/second")
    folder.put_job(two, running)
    folder.sweep()
    assert sorted(path.name for path in folder.stops.iterdir()) == ["first", "second"]
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == ["b", "d"]
    assert (folder.savepoints / "mine").is_dir()


def test_folders_of_either_engine_are_refused_by_the_other(tmp_path: Path) -> None:
    ours, embedded, other = tmp_path / "flink", tmp_path / "embedded", tmp_path / "other"
    FlinkFolder.make(ours)
    StateFolder.make(embedded)
    other.mkdir()
    (other / "file").touch()
    for use in (StateFolder.make, StateFolder.find, open_savepoint):
        with pytest.raises(UserError, match="holds state of a job on Flink"):
            use(ours)
    with pytest.raises(UserError, match="holds state of the embedded engine"):
        FlinkFolder.make(embedded)
    with pytest.raises(UserError, match="holds files, but no state"):
        FlinkFolder.make(other)
    assert FlinkFolder.find(embedded) is None
    assert FlinkFolder.find(tmp_path / "none") is None


def test_foreign_and_newer_files_are_told(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    add(folder, entry())
    job = tmp_path / "versions" / "1" / "job.json"
    for text in ("{", '{"cluster": 1}'):
        job.write_text(text, encoding="utf-8")
        with pytest.raises(ExternalError, match=r"job.json' is not what sameriver wrote"):
            folder.entries()
    (tmp_path / "flink.json").write_text('{"engine": "flink", "format": 99}', encoding="utf-8")
    with pytest.raises(ExternalError, match="another format"):
        FlinkFolder.find(tmp_path)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    folder = FlinkFolder.make(tmp_path)
    with folder.locked(), pytest.raises(ExternalError, match="another job is running"), \
            folder.locked():  # fmt: skip
        pass
