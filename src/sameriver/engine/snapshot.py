"""The state of a job between two batches, as plain tables, free of the number of shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.connectors.connector import Committable, Position
from sameriver.engine.events import keys_of
from sameriver.plan.physical.node import PhysicalNode
from sameriver.state.handle import Capture

Tables = dict[str, pl.DataFrame]
"""State tables of a node, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """What one node keeps.

    Attributes:
        tables: its state tables, rows of all shards.
        watermarks: of each input, in ms.
        emitted: the watermark of its output.
    """

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    watermarks: tuple[int, ...] = ()
    emitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCapture:
    """A copy of what one node has to save.

    Attributes:
        shards: what each table has to save, by shard.
        watermarks, emitted: as in ``NodeState``.
    """

    shards: tuple[Mapping[str, Capture], ...]
    watermarks: tuple[int, ...]
    emitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """How far a source was read; position None: not at all.

    Attributes:
        rows: read from its start on, which a replay counts.
    """

    position: Position | None = None
    finished: bool = False
    rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """A job's state: nodes and sources in the order of the job's graph."""

    nodes: tuple[NodeState, ...]
    sources: tuple[SourceState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCapture:
    """A copy of what a checkpoint has to save of a job; order as in ``JobState``.

    Attributes:
        sinks: what each sink waits to show; None: a sink that shows all at once.
    """

    nodes: tuple[NodeCapture, ...]
    sources: tuple[SourceState, ...]
    sinks: tuple[Committable | None, ...]


def merge_tables(shards: Sequence[Tables]) -> Tables:
    """Tables of all shards as one; rows in order of the shards."""
    if len(shards) == 1:
        return shards[0]
    names = shards[0] if shards else {}
    return {name: pl.concat([tables[name] for tables in shards]) for name in names}


def split_tables(
    tables: Mapping[str, pl.DataFrame], node: PhysicalNode, shards: int
) -> list[Tables]:
    """Tables for each shard: a row goes where later rows of its key will go.

    A table with an empty key goes to the first shard as a whole.
    """
    if shards == 1:
        return [dict(tables)]
    keys = {table.name: [column.name for column in table.key] for table in node.state()}
    shares: list[Tables] = [{} for _ in range(shards)]
    for name, rows in tables.items():
        found = keys_of(rows, _distributed(keys.get(name, []), node.distribution or ()))
        for shard, share in enumerate(shares):
            share[name] = rows[found.rows(shard, shards)]
    return shares


def _distributed(key: Sequence[str], distribution: Sequence[Sequence[str]]) -> Sequence[str]:
    """The part of a table's key by which its node is distributed: by name, else what leads."""
    named = (columns for columns in distribution if set(columns) <= set(key))
    return next(named, key[: min(map(len, distribution), default=0)])
