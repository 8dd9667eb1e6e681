"""Parquet files of state: written so that they last, read only if they are what was written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from sameriver.checkpoint import disk
from sameriver.checkpoint.manifest import File
from sameriver.common.errors import ExternalError


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write_frame(
    folder: Path, name: str, frame: pl.DataFrame, *, below: str = "", brief: bool = False
) -> File:
    """Writes rows into ``folder``; the file is on the disk when this returns.

    Args:
        folder: where it is written.
        name: of the file.
        frame: the rows.
        below: goes before the name in the path it is known by.
        brief: the file won't live long: written faster, a little larger, without statistics.

    Raises:
        OSError: the disk is full, and the like.
    """
    path = folder / name
    try:
        frame.write_parquet(
            path,
            compression="zstd",
            compression_level=1 if brief else None,
            statistics=not brief,
        )
    except pl.exceptions.ComputeError as error:
        # this is how Polars tells of a full disk
        raise OSError(str(error).splitlines()[0]) from error
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
        size = file.tell()
    disk.sync(path)
    return File(path=f"{below}{name}", rows=frame.height, bytes=size, checksum=checksum)


def read_bytes(root: Path, file: File) -> bytes:
    """The content of a file.

    Raises:
        ExternalError: MISSING_FILE, TORN_FILE, ALTERED_FILE, FOREIGN_FILE.
    """
    path = root / file.path
    if not file.is_inside:
        raise foreign(root, file, "is named by the manifest, but lies outside of its folder")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise refused("MISSING_FILE", f"'{path}' can't be read: {error.strerror}") from error
    if len(data) != file.bytes:
        text = f"'{path}' has {len(data)} bytes; {file.bytes} were written"
        raise refused("TORN_FILE", text)
    if digest(data) != file.checksum:
        raise refused("ALTERED_FILE", f"'{path}' is not what was written: its checksum differs")
    return data


def read_frame(root: Path, file: File) -> pl.DataFrame:
    """The rows of a file.

    Raises:
        ExternalError: as ``read_bytes``; FOREIGN_FILE also if it is no Parquet file.
    """
    data = read_bytes(root, file)
    try:
        frame = pl.read_parquet(data)
    except pl.exceptions.PolarsError as error:
        raise foreign(root, file, f"is no Parquet file: {str(error).splitlines()[0]}") from error
    if frame.height != file.rows:
        raise foreign(root, file, f"has {frame.height} rows, not {file.rows}")
    return frame


def foreign(root: Path, file: File, text: str) -> ExternalError:
    """The error of a file that holds something else than the manifest says."""
    return refused("FOREIGN_FILE", f"'{root / file.path}' {text}")


def refused(code: str, text: str) -> ExternalError:
    """The error of a file that can't be taken."""
    return ExternalError(
        code,
        text,
        hint="Put the file back as it was, go on from another checkpoint or savepoint with --from, "
        "or start anew with --fresh.",
    )
