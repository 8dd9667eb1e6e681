"""What state takes in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cases import Case
from sameriver import Session
from sameriver.engine.driver import run
from sameriver.engine.job import Job
from sameriver.plan.physical.node import PhysicalNode
from sameriver.state.handle import StateHandle


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
    seen: set[int] = set()
    keys: dict[str, int] = {}
    for number, vertex in enumerate(job._graph.vertices):
        for operator in vertex.operators:
            found.held += _size(operator, seen)
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


def _size(thing: Any, seen: set[int]) -> int:
    """Bytes of the arrays and frames that an object of state leads to, each counted once."""
    if isinstance(thing, np.ndarray) and thing.base is not None:
        thing = thing.base
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, pl.DataFrame | pl.Series):
        return int(thing.estimated_size())
    return sum(_size(part, seen) for part in _parts(thing))


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, list | tuple):
        return list(thing)
    if type(thing).__module__.startswith(("sameriver.state", "sameriver.operators")):
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        named = [getattr(thing, name) for name in slots if hasattr(thing, name)]
        return [*named, *getattr(thing, "__dict__", {}).values()]
    return []
