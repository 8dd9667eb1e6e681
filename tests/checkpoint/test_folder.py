"""A state folder holds whole checkpoints and no dead files."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from saved import delta, manifest, table, write

from sameriver.checkpoint import disk
from sameriver.checkpoint.fold import read_table, write_part
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import Manifest
from sameriver.common.errors import ExternalError, UserError


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder.make(tmp_path / "state")


def add(folder: StateFolder, number: int) -> Manifest:
    return folder.add(number, lambda draft, below: write(draft, below, number, {1: number}))


def rows(folder: StateFolder) -> list[tuple[object, ...]]:
    latest = folder.latest()
    assert latest is not None
    return read_table(folder.checkpoints, next(latest.tables)).rows()


def test_the_last_checkpoint_counts(folder: StateFolder) -> None:
    assert folder.latest() is None
    for number in (9, 10):
        assert add(folder, number) == folder.latest()
    assert rows(folder) == [(1, 10)]


def test_old_checkpoints_go(folder: StateFolder) -> None:
    for number in range(1, 5):
        add(folder, number)
        folder.retain(2)
    assert folder.numbers() == [3, 4]
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == ["3", "4"]


def test_files_stay_as_long_as_a_checkpoint_names_them(folder: StateFolder) -> None:
    first = add(folder, 1)
    (base,) = next(first.tables).parts

    def grow(draft: Path, below: str) -> Manifest:
        part = write_part(draft, "t", delta({2: 2}), 0, below=below)
        return manifest(2, table(base, part))

    folder.add(2, grow)
    folder.retain(1)
    assert [p.name for p in (folder.checkpoints / "1").iterdir()] == ["t.parquet"]
    assert rows(folder) == [(1, 1), (2, 2)]
    add(folder, 3)
    folder.retain(1)
    assert [path.name for path in folder.checkpoints.iterdir()] == ["3"]


STEPS = ("write", "sync", "rename", "mkdir")


def _failing(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "mkdir":
        monkeypatch.setattr(Path, "mkdir", fail)
    else:
        monkeypatch.setattr(disk, step, fail)


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_leaves_the_last_checkpoint_in_force(
    folder: StateFolder, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(folder, 1)
    with monkeypatch.context() as patched:
        _failing(step, patched)
        with pytest.raises(ExternalError, match="No space left") as caught:
            add(folder, 2)
    assert caught.value.code == "CANT_WRITE"
    assert caught.value.retry
    assert rows(folder) == [(1, 1)]
    add(folder, 2)
    assert rows(folder) == [(1, 2)]


@pytest.mark.parametrize(("call", "expected"), [(0, 1), (1, 1), (2, 1), (3, 2)])
def test_a_checkpoint_counts_once_it_has_its_name(
    folder: StateFolder, call: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(folder, 1)
    calls = iter(range(100))
    sync: Callable[[int], None] = os.fsync

    def fail(handle: int) -> None:
        if next(calls) == call:
            raise OSError(5, "Input/output error")
        sync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(ExternalError, match="Input/output error"):
            add(folder, 2)
    assert rows(folder) == [(1, expected)]


def test_what_a_killed_process_left_is_no_checkpoint(folder: StateFolder) -> None:
    add(folder, 1)
    draft = folder.checkpoints / ".draft-2"
    draft.mkdir()
    (draft / "manifest.json").write_text("{")
    assert rows(folder) == [(1, 1)]
    add(folder, 2)
    folder.retain(1)
    assert [path.name for path in folder.checkpoints.iterdir()] == ["2"]


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UserError, match="holds files") as caught:
        StateFolder.make(tmp_path)
    assert caught.value.code == "FOREIGN_FOLDER"


def test_a_folder_of_a_later_version_is_refused(folder: StateFolder) -> None:
    (folder.path / "folder.json").write_text('{"format": 2}')
    with pytest.raises(ExternalError) as caught:
        StateFolder.make(folder.path)
    assert caught.value.code == "NEWER_FORMAT"


def _hold(path: Path, held: object, release: object) -> None:
    with StateFolder.find(path).locked():
        held.set()  # type: ignore[attr-defined]
        release.wait()  # type: ignore[attr-defined]


def test_two_processes_do_not_share_a_folder(folder: StateFolder) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(folder.path, held, release))
    other.start()
    try:
        assert held.wait(30)
        with pytest.raises(ExternalError) as caught, folder.locked():
            raise AssertionError
        assert caught.value.code == "STATE_IN_USE"
    finally:
        release.set()
        other.join()
    with folder.locked():
        pass


def test_numbers_of_savepoints_do_not_clash(folder: StateFolder) -> None:
    for name in ("3", "3-2", "3-3"):
        assert folder.new_savepoint(3).name == name
        folder.new_savepoint(3).mkdir()
