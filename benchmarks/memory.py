"""What state takes in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from cases import Case
from sameriver import Session
from sameriver.engine.driver import run
from sameriver.engine.job import Job
from sameriver.plan.physical.node import PhysicalNode
from sameriver.state.handle import StateHandle
from sameriver.testing.memory import held


@dataclass(slots=True)
class Memory:
    """Sizes in bytes.

    Attributes:
        held: what operators hold in memory, room to grow included.
        raw: their columns, packed, as a frame.
        rows: in all tables.
        keys: the most keys of a table.
    """

    held: int = 0
    raw: int = 0
    rows: int = 0
    keys: int = 0


def memory(case: Case, folder: Path) -> Memory:
    """State of a case once all its input is read, before the last watermark frees it."""
    session = Session()
    (plan,) = session.plan(case.script(folder))
    job = session.job(plan)
    finish, found = job.finish, Memory()

    def look(scan: PhysicalNode) -> None:
        if all(job.is_finished(other) for other in job.sources if other != scan):
            _add_up(job, found)
        finish(scan)

    job.finish = look  # type: ignore[method-assign]
    run(job)
    return found


def _add_up(job: Job, found: Memory) -> None:
    keys: dict[str, int] = {}
    for number, vertex in enumerate(job._graph.vertices):
        found.held += held(vertex.operators)
        for operator in vertex.operators:
            for name, handle in operator.context.store._handles.items():
                rows = handle.snapshot()
                found.raw += rows.estimated_size()
                found.rows += rows.height
                table = f"{number} {name}"
                keys[table] = keys.get(table, 0) + _keys(handle, rows)
    found.keys = max(keys.values(), default=0)


def _keys(handle: StateHandle, rows: pl.DataFrame) -> int:
    names = [c.name for c in handle.declaration.key if c.name != "position"]
    return rows.select(names).n_unique() if names else min(rows.height, 1)
