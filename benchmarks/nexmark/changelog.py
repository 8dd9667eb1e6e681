"""Tables as the changes add up to them that an engine wrote to files.

Each line of the files is a change as ``debezium-json`` writes it: the row is compared as text, so
that all engines have to write each value alike. Lines of other formats are rows that were added.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

_ADDED = '{"before":null,"after":', ',"op":"c"}'
_REMOVED = '{"before":', ',"after":null,"op":"d"}'

Table = Counter[str]
"""How often each row is there."""


def options(folder: Path) -> dict[str, str]:
    """Of a sink that writes changes to a folder."""
    return {"connector": "filesystem", "path": str(folder), "format": "debezium-json"}


def table(folder: Path) -> Table:
    """The rows that all changes below a folder add up to, each with the partition it is in."""
    counts = Table()
    for path in folder.rglob("part-*"):
        partition = path.parent.relative_to(folder)
        with path.open() as file:
            for line in file:
                row, count = _change(line.rstrip("\n"))
                counts[f"{partition} {row}"] += count
    return counts


def _change(line: str) -> tuple[str, int]:
    for (head, tail), count in ((_ADDED, 1), (_REMOVED, -1)):
        if line.startswith(head) and line.endswith(tail):
            return line[len(head) : -len(tail)], count
    return line, 1
