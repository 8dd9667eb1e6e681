"""Files are refused, by name, unless they are what was written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from saved import SCHEMA, delta, manifest, table, write

from sameriver.checkpoint import disk
from sameriver.checkpoint.files import digest, read_frame, write_frame
from sameriver.checkpoint.fold import read_table, write_part
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.manifest import File
from sameriver.checkpoint.manifest_file import read_manifest, write_manifest
from sameriver.common.errors import ExternalError

ROWS = pl.DataFrame({"k": [1, 2], "v": [3, 4]}, schema=SCHEMA)


def refused(code: str, name: str) -> pytest.RaisesExc[ExternalError]:
    return pytest.RaisesExc(ExternalError, match=name, check=lambda error: error.code == code)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    file = write_frame(tmp_path, "a.parquet", ROWS)
    (tmp_path / "a.parquet").unlink()
    with refused("MISSING_FILE", r"a\.parquet"):
        read_frame(tmp_path, file)


def test_a_torn_file_is_refused(tmp_path: Path) -> None:
    file = write_frame(tmp_path, "a.parquet", ROWS)
    (tmp_path / "a.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-5])
    with refused("TORN_FILE", r"a\.parquet"):
        read_frame(tmp_path, file)


def test_every_altered_byte_is_noticed(tmp_path: Path) -> None:
    file = write_frame(tmp_path, "a.parquet", ROWS)
    content = (tmp_path / "a.parquet").read_bytes()
    for place in range(0, len(content), 7):
        altered = bytearray(content)
        altered[place] ^= 1
        (tmp_path / "a.parquet").write_bytes(altered)
        with refused("ALTERED_FILE", r"a\.parquet"):
            read_frame(tmp_path, file)


def test_a_file_of_another_table_is_refused(tmp_path: Path) -> None:
    part = write_part(tmp_path, "a", delta({1: 1}, whole=True), 0, below="")
    other = write_frame(
        tmp_path, "b.parquet", ROWS.rename({"v": "w"}).insert_column(0, ROWS["k"].alias("$id"))
    )
    with refused("FOREIGN_FILE", r"b\.parquet"):
        read_table(tmp_path, table(replace(part, rows=other)))


def test_a_file_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    file = write_frame(tmp_path, "a.parquet", ROWS)
    (tmp_path / "inner").mkdir()
    for path in ("../a.parquet", str(tmp_path / "a.parquet")):
        with refused("FOREIGN_FILE", r"a\.parquet"):
            read_frame(tmp_path / "inner", replace(file, path=path))


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    content = b"x" * 100
    (tmp_path / "a.parquet").write_bytes(content)
    file = File(path="a.parquet", rows=1, bytes=100, checksum=digest(content))
    with refused("FOREIGN_FILE", r"a\.parquet"):
        read_frame(tmp_path, file)


def test_manifests_come_back(tmp_path: Path) -> None:
    part = write_part(tmp_path, "a", delta({1: 1}, whole=True), 0, below="")
    written = manifest(3, table(part))
    write_manifest(tmp_path, written)
    assert read_manifest(tmp_path) == written


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"number": 3', '"number": 4', "ALTERED_FILE"),
        ('"format": 1', '"format": 2', "NEWER_FORMAT"),
        ('"checksum"', '"sum"', "FOREIGN_FILE"),
        ("{", "[", "TORN_FILE"),
    ],
)
def test_an_altered_manifest_is_refused(tmp_path: Path, old: str, new: str, code: str) -> None:
    write_manifest(tmp_path, manifest(3))
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text().replace(old, new))
    with refused(code, r"manifest\.json"):
        read_manifest(tmp_path)


def test_another_json_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"a": 1}))
    with refused("FOREIGN_FILE", r"manifest\.json"):
        read_manifest(tmp_path)


def test_a_torn_manifest_stops_a_job_rather_than_be_passed_over(tmp_path: Path) -> None:
    folder = StateFolder.make(tmp_path / "state")
    for number in (1, 2):
        folder.add(number, lambda draft, below, n=number: write(draft, below, n, {1: n}))  # type: ignore[misc]
    path = folder.checkpoints / "2" / "manifest.json"
    path.write_bytes(path.read_bytes()[:50])
    with refused("TORN_FILE", "2/manifest"):
        folder.latest()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").symlink_to("/dev/full")
    with refused("CANT_WRITE", "No space left"), disk.writing("a checkpoint", tmp_path):
        write_frame(tmp_path, "a.parquet", ROWS)
