"""Says that partitions are complete, by an empty file in their folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sameriver.common.errors import UserError, place_of
from sameriver.connectors.filesystem.durable import writing
from sameriver.connectors.options import Options, choice, milliseconds

COMMIT = "sink.partition-commit."


def check_partition_commit(options: Options) -> None:
    """Refuses what is not done.

    Raises:
        UserError: UNSUPPORTED, BAD_OPTION, BAD_DURATION.
    """
    milliseconds(options, f"{COMMIT}delay", "0 s")
    trigger = choice(
        options, f"{COMMIT}trigger", "process-time", ("process-time", "partition-time")
    )
    kinds = options.get(f"{COMMIT}policy.kind", "success-file")
    if trigger != "process-time" or kinds != "success-file":
        raise UserError(
            "UNSUPPORTED",
            "partitions are committed by processing time and with a success file only",
            hint=f"Set '{COMMIT}trigger' to 'process-time' and '{COMMIT}policy.kind' to"
            " 'success-file'.",
            position=place_of(kinds if trigger == "process-time" else options[f"{COMMIT}trigger"]),
        )


@dataclass(slots=True)
class PartitionCommit:
    """Partitions that had rows since they were last said to be complete.

    Attributes:
        waiting: when each was begun, in ms.
        complete: folders that the next commit marks.
    """

    options: Options
    waiting: dict[str, int] = field(default_factory=dict)
    complete: set[str] = field(default_factory=set)

    @property
    def _on(self) -> bool:
        return f"{COMMIT}policy.kind" in self.options

    def touch(self, folder: str, now: int) -> None:
        """The folder got rows."""
        if self._on and folder:
            self.waiting.setdefault(folder, now)

    def close(self, now: int, *, last: bool) -> set[str]:
        """The folders that are complete: begun ``delay`` ago, or all if nothing follows."""
        delay = milliseconds(self.options, f"{COMMIT}delay", "0 s")
        due = {folder for folder, begun in self.waiting.items() if last or now - begun >= delay}
        for folder in due:
            del self.waiting[folder]
        self.complete |= due
        return self.complete

    def mark(self, root: Path, folders: Iterable[str]) -> None:
        """Puts the empty file in the folders."""
        name = self.options.get(f"{COMMIT}success-file.name", "_SUCCESS")
        for folder in folders:
            with writing(root / folder / name):
                (root / folder / name).touch()
            self.complete.discard(folder)
