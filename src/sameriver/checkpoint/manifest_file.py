"""Manifests as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sameriver.checkpoint import disk
from sameriver.checkpoint.files import digest, refused
from sameriver.checkpoint.manifest import FORMAT, Manifest
from sameriver.common.errors import ExternalError
from sameriver.common.plain import from_plain, to_plain

NAME = "manifest.json"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes it into ``folder``, with its format and checksum.

    Raises:
        OSError: the disk is full, and the like.
    """
    body = {"format": FORMAT, **to_plain(manifest)}
    text = json.dumps({**body, "checksum": _checksum(body)}, indent=1, ensure_ascii=False)
    disk.write(folder / NAME, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest in ``folder``.

    Raises:
        ExternalError: MISSING_FILE, TORN_FILE, ALTERED_FILE, FOREIGN_FILE, NEWER_FORMAT.
    """
    path = folder / NAME
    body = _read(path)
    if body.get("format") != FORMAT:
        raise ExternalError(
            "NEWER_FORMAT",
            f"'{path}' has format {body.get('format')!r}; this sameriver reads {FORMAT}",
            hint="Use the version of sameriver that wrote it, or a later one.",
        )
    checksum = body.pop("checksum", None)
    if checksum != _checksum(body):
        raise refused("ALTERED_FILE", f"'{path}' is not what was written: its checksum differs")
    del body["format"]
    try:
        manifest = from_plain(Manifest, body)
    except TypeError as error:
        raise refused("FOREIGN_FILE", f"'{path}' is no manifest: {error}") from error
    return manifest


def checksum_of(folder: Path) -> str:
    """What tells the manifest in ``folder`` from others."""
    return str(_read(folder / NAME).get("checksum", ""))


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refused("MISSING_FILE", f"'{path}' can't be read: {error.strerror}") from error
    except ValueError as error:
        raise refused("TORN_FILE", f"'{path}' is no whole JSON text: {error}") from error
    if not isinstance(data, dict) or "format" not in data or "checksum" not in data:
        raise refused("FOREIGN_FILE", f"'{path}' is no manifest of sameriver")
    return data


def _checksum(body: dict[str, Any]) -> str:
    return digest(json.dumps(body, sort_keys=True, separators=(",", ":")).encode())
