"""Finds the files of a table, and opens them."""

from __future__ import annotations

import glob
import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast
from urllib.parse import unquote, urlsplit

import zstandard

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError, Position, UserError, closest, place_of
from sameriver.connectors.options import Options

_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class File:
    """A file of a table; ``partition`` holds what the folders above it say (``key=value``)."""

    path: Path
    partition: dict[str, str]


def local_path(options: Options) -> Path:
    """The absolute path of option ``path``; a ``file:`` URL is a path too.

    Raises:
        UserError: UNSUPPORTED for a URL of another scheme.
    """
    text = options["path"]
    scheme = urlsplit(text).scheme
    if scheme == "file":
        text = unquote(urlsplit(text).path)
    elif "://" in text:
        raise UserError(
            "UNSUPPORTED",
            f"path '{text}' is not on this machine: the filesystem connector knows no '{scheme}'",
            hint="Use a local path or a 'file://' URL.",
            position=place_of(options["path"]),
        )
    return Path(text).expanduser().absolute()


def list_files(path: Path, *, waits: bool = False, at: Position | None = None) -> list[File]:
    """The files at ``path``: itself, all below it, or what the pattern matches; sorted.

    Names that start with ``.`` or ``_`` are skipped within folders.

    Args:
        path: as ``local_path`` gives it.
        waits: a pattern may match nothing, for now.
        at: where the script says the path.

    Raises:
        ExternalError: NO_SUCH_FILE.
    """
    if path.is_file():
        return [File(path, _partition(path.parts))]
    if path.is_dir():
        return _below(path)
    if _GLOB & set(str(path)):
        found: list[File] = []
        for name in sorted(glob.glob(str(path), recursive=True)):
            match = Path(name)
            found += _below(match) if match.is_dir() else [File(match, _partition(match.parts))]
        if found or waits:
            return list({file.path: file for file in found}.values())
    raise _missing(path, at)


def base_of(path: Path) -> Path:
    """The folder that all files at ``path`` are in or below."""
    while _GLOB & set(str(path)) and not path.exists():
        path = path.parent
    return path if path.is_dir() else path.parent


def _below(folder: Path) -> list[File]:
    found: list[Path] = []
    for above, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if "=" in name or not _hidden(name)]
        paths = (Path(above, name) for name in names if not _hidden(name))
        found += [path for path in paths if path.is_file()]
    return [File(path, _partition(path.parts)) for path in sorted(found)]


def _refuse(error: OSError) -> None:
    """A folder that can't be listed is not an empty one."""
    raise ExternalError(
        "UNREADABLE_FOLDER",
        f"the folder '{error.filename}' can't be listed: {error.strerror}",
        hint="Make it readable, or give a path that leaves it out.",
        retry=True,
    ) from error


def _hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def _partition(parts: tuple[str, ...]) -> dict[str, str]:
    pairs = (part.split("=", 1) for part in parts[:-1] if "=" in part)
    return {key: unquote(value) for key, value in pairs}


def _missing(path: Path, at: Position | None) -> ExternalError:
    above = path.parent
    while not above.is_dir():
        above = above.parent
    names = sorted(entry.name for entry in above.iterdir())
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    meant = closest(path.name, names) if above == path.parent else ""
    return ExternalError(
        "NO_SUCH_FILE",
        f"there is no file or folder '{path}'",
        hint=meant or f"'{above}' holds: {listed or 'nothing'}.",
        position=at,
    )


def is_compressed(path: Path) -> bool:
    return path.suffix in (".gz", ".zst", ".zstd")


def open_bytes(path: Path) -> IO[bytes]:
    """The content of a file, decompressed if its name ends in ``.gz`` or ``.zst``."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if path.suffix in (".zst", ".zstd"):
        reader = zstandard.ZstdDecompressor().stream_reader(
            path.open("rb"), read_across_frames=True, closefd=True
        )
        return cast(IO[bytes], io.BufferedReader(cast(io.RawIOBase, reader)))
    return path.open("rb")


def pass_over(file: IO[bytes], count: int) -> None:
    """Skips bytes; what is compressed has to be read for it."""
    if file.seekable():
        file.seek(count)
        return
    while count > 0:
        skipped = len(file.read(min(count, 1 << 20)))
        if not skipped:
            return
        count -= skipped


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Turns errors of reading into ours.

    Raises:
        ExternalError: UNREADABLE_FILE.
    """
    try:
        yield
    except (OSError, EOFError, zstandard.ZstdError) as error:
        raise ExternalError(
            "UNREADABLE_FILE",
            f"'{path}' can't be read: {error}",
            hint="Is it whole, and is its name right (.gz, .zst)?",
            retry=isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile),
        ) from error
