"""A scripted run: a script, what arrives in which order, and what should come out."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from sameriver.common.dataclass import dataclass

Row = tuple[str, tuple[object, ...]]
"""Change kind symbol and values, as expected files write them."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table; they arrive together unless a mode splits them.

    ``cells`` holds text per row and column (None: NULL), in the order of the table's columns;
    ``lines`` where each row stands in the file.
    """

    table: str
    kinds: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileRows:
    """The next ``count`` records of the table's own file (None: all that are left)."""

    table: str
    count: int | None


@dataclass(frozen=True, slots=True)
class SetWatermark:
    """The table's own watermark moves; text of a timestamp."""

    table: str
    time: str
    line: int


@dataclass(frozen=True, slots=True)
class SetClock:
    """Processing time jumps to a timestamp (UTC); timers in between fire on the way."""

    time: str
    line: int


@dataclass(frozen=True, slots=True)
class Sleep:
    """Processing time goes on by ``milliseconds``."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All state is saved."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The job dies, starts from the last checkpoint, and rows since then are read again."""


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more comes for the table."""

    table: str


Step = Rows | FileRows | SetWatermark | SetClock | Sleep | Checkpoint | Crash | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One test.

    Attributes:
        name: shown in reports.
        path: the ``.case`` file or the folder.
        sql: the script; its last query is the job.
        steps: what happens, in order. Tables that never end here end after the last step.
        options: set before the script runs.
        changelog: expected changes; None: not checked.
        schema: expected (name, type text) of the result; None: not checked.
        plan: expected text of the physical plan; None: not checked.
        state: expected text of the state tables; None: not checked.
        error: expected code, then fragments of the message; None: no error is expected.
        may_refuse: an error of code UNSUPPORTED or the like is as good as the answer.
        exact: compare the first mode's changelog line by line rather than as a multiset.
    """

    name: str
    path: Path
    sql: str
    steps: tuple[Step, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    changelog: tuple[Row, ...] | None = None
    schema: tuple[tuple[str, str], ...] | None = None
    plan: str | None = None
    state: str | None = None
    error: tuple[str, ...] | None = None
    may_refuse: bool = False
    exact: bool = True
