"""The live line on standard error while a job runs."""

from __future__ import annotations

import shutil
import sys
import time
from datetime import UTC, datetime

from sameriver.checkpoint.manifest import Manifest
from sameriver.engine.driver import Progress

_PERIOD = 0.2
"""Seconds between two updates of the line."""


class ProgressLine:
    """Shows progress on a terminal; elsewhere only what was lost, at the end."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.last: Progress | None = None
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        now = time.monotonic()
        if self.shown and now >= self._next:
            self._next = now + _PERIOD
            # a line that wraps could not be taken back
            room = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\x1b[2K" + describe(progress)[:room])
            sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away, so that other output can follow."""
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def close(self) -> None:
        """Leaves the last state of the line standing."""
        if self.last is not None and self.shown:
            sys.stderr.write("\r\x1b[2K" + describe(self.last) + "\n")
            sys.stderr.flush()
        else:
            self.take_away()
        self.last = None

    def take_away(self) -> None:
        """Leaves only what was lost, for a line whose figures are older than the end."""
        self.clear()
        lost = ", ".join(_lost(self.last)) if self.last is not None else ""
        if lost:
            sys.stderr.write(lost + "\n")
            sys.stderr.flush()
        self.last = None


def describe(progress: Progress) -> str:
    """Rows in and out, rows/s, watermark and its lag, and what was lost."""
    rate = progress.rows_in / progress.seconds if progress.seconds else 0.0
    parts = [
        f"{progress.rows_in:,} rows in",
        f"{progress.rows_out:,} out",
        f"{rate:,.0f} rows/s",
    ]
    if progress.watermark is not None:
        parts.append(f"watermark {_time(progress.watermark)}")
    if progress.lag is not None:
        parts.append(f"lag {rough_duration(progress.lag)}")
    parts += _lost(progress)
    if progress.checkpoint is not None:
        parts.append(_checkpoint(progress.checkpoint))
    return "  ".join(parts)


def _lost(progress: Progress) -> list[str]:
    counts = (
        (progress.late_rows, "late row", "dropped"),
        (progress.ignored_rows, "bad row", "ignored"),
        (progress.ignored_fields, "bad field", "read as NULL"),
        (progress.null_rows, "row", "with NULL dropped"),
    )
    return [f"{n:,} {thing}{'s' * (n != 1)} {done}" for n, thing, done in counts if n]


def _time(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _checkpoint(manifest: Manifest) -> str:
    metrics = manifest.metrics
    return (
        f"checkpoint {manifest.number}: {rough_duration(metrics.duration)}, "
        f"pause {rough_duration(metrics.pause)}, {bytes_text(metrics.bytes)}"
    )


def rough_duration(milliseconds: int) -> str:
    """``12 ms``, ``1.5 s``, ``3 min``, ``36 h``, ``4 d``."""
    seconds = milliseconds / 1000
    if abs(seconds) < 1:
        return f"{milliseconds} ms"
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"


def bytes_text(count: int) -> str:
    """``12 B``, ``1.5 KB``, ``3.0 MB``."""
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
