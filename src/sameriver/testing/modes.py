"""The ways a scenario is run. As written its changelog must match; otherwise its final table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

from sameriver.testing.scenario import Checkpoint, Crash, FileRows, Rows, Step


class Mode(Enum):
    """The value is the word for ``--mode``."""

    WRITTEN = "written"
    """As the scenario says."""
    ROW = "row"
    """One row a batch."""
    BATCH = "batch"
    """Everything in as few batches as the order of tables and the clock allow."""
    SHARDS = "shards"
    """Keyed operators in three shards."""
    RESTORE = "restore"
    """Stopped at each checkpoint and restored with another number of shards."""
    FILES = "files"
    """The same through files, each checkpoint saved in two steps."""


SHARDS = {Mode.SHARDS: 3}
RESTORED_SHARDS = (1, 3, 2)
"""Shard counts from checkpoint to checkpoint, in turn."""


def steps_for(mode: Mode, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps as the mode wants them."""
    match mode:
        case Mode.WRITTEN | Mode.SHARDS:
            return steps
        case Mode.ROW:
            return tuple(single for step in steps for single in _singles(step))
        case Mode.BATCH:
            return tuple(s for s in steps if not isinstance(s, Checkpoint | Crash))
        case Mode.RESTORE | Mode.FILES:
            return _with_checkpoints(steps)


def _singles(step: Step) -> Iterator[Step]:
    """A step of many rows as steps of one row each."""
    if isinstance(step, Rows):
        for i in range(len(step.kinds)):
            yield replace(
                step, kinds=step.kinds[i : i + 1], cells=step.cells[i : i + 1],
                lines=step.lines[i : i + 1],
            )  # fmt: skip
    elif isinstance(step, FileRows) and step.count is not None:
        yield from (replace(step, count=1) for _ in range(step.count))
    else:
        yield step


def _with_checkpoints(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps with a checkpoint after every third row, unless they have checkpoints."""
    listed = tuple(steps)
    if any(isinstance(step, Checkpoint) for step in listed):
        return listed
    out: list[Step] = []
    rows = 0
    for step in (single for whole in listed for single in _singles(whole)):
        out.append(step)
        if isinstance(step, Rows | FileRows):
            rows += 1
            if rows % 3 == 0:
                out.append(Checkpoint())
    return tuple(out)
