"""Aggregates that an upgrade adds, takes away or moves: the old node stays as it is.

An aggregation holds its accumulators as one row, so that Flink can't restore them once one of them
is new or elsewhere. Here the old node is kept under its name, with all that it computes. What is
new is computed in a second node, joined on the keys. Columns then come in the order that the new
query wants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.flink.compiled import (
    Column,
    CompiledPlan,
    Data,
    Node,
    plan_text,
    read_plan,
    row_type,
    type_data,
)
from sameriver.flink.meaning import StateNode, state_nodes
from sameriver.flink.names import named
from sameriver.flink.parts import Item
from sameriver.flink.rows import is_stateful

AGGREGATION = "group-aggregate"
_ONE_WAY = {"damBehavior": "PIPELINED", "priority": 0}


def beside(plan: str, before: str) -> str:
    """A compiled plan with names, in which old aggregations are kept where they can be.

    Args:
        plan: the new plan.
        before: the old one, whose nodes carry names.

    Raises:
        ExternalError: FOREIGN_PLAN.
    """
    while True:
        parsed = read_plan(named(plan, before))
        found = _first(parsed, read_plan(before))
        if found is None:
            return plan_text(parsed.data)
        plan = plan_text(_rewritten(parsed, found))


@dataclass(frozen=True, slots=True)
class _Split:
    """An aggregation of the new plan, and the old ones that are kept in its place.

    Attributes:
        fresh: places of the calls of the new one that no old one computes.
    """

    new: StateNode
    olds: tuple[StateNode, ...]
    fresh: tuple[int, ...]


def _first(plan: CompiledPlan, before: CompiledPlan) -> _Split | None:
    """The first aggregation that has lost its state for which there is a way."""
    news, olds = state_nodes(plan), state_nodes(before)
    taken = {node.node.name for node in news}
    free = [one for one in olds if one.node.type == AGGREGATION and one.node.name not in taken]
    known = {one.node.name for one in olds}
    for new in news:
        if new.node.type != AGGREGATION or new.node.name in known:
            continue
        kept = [one for one in free if _same_groups(one, new) and _arranged(one, new) is not None]
        computed = {call for one in kept for call in _calls(one)}
        fresh = tuple(at for at, call in enumerate(_calls(new)) if call not in computed)
        shared = len(_calls(new)) - len(fresh)
        if not kept or shared == 0 or (_joins(kept, fresh) and _feeds_state(plan, new.node)):
            continue
        return _Split(new, tuple(kept), fresh)
    return None


def _joins(kept: Sequence[StateNode], fresh: Sequence[int]) -> bool:
    return len(kept) + bool(fresh) > 1


def _same_groups(old: StateNode, new: StateNode) -> bool:
    """Whether both group the same rows by the same keys, for the same tables."""

    def groups(node: StateNode) -> tuple[object, ...]:
        keys = tuple(part for part in node.parts if part.noun not in ("aggregate",))
        return (keys, node.origin, node.sinks)

    return groups(old) == groups(new)


def _calls(node: StateNode) -> tuple[Item, ...]:
    return tuple(item for part in node.parts if part.noun == "aggregate" for item in part.items)


def _arranged(old: StateNode, new: StateNode) -> tuple[int, ...] | None:
    """Where the columns that the old node reads are among those of the new one."""
    there = list(zip(new.reading.inputs.columns, new.reading.types, strict=True))
    wanted = zip(old.reading.inputs.columns, old.reading.types, strict=True)
    found = [there.index(one) if one in there else -1 for one in wanted]
    return None if -1 in found else tuple(found)


def _feeds_state(plan: CompiledPlan, node: Node) -> bool:
    """Whether something above it keeps rows of its: they would never be taken back.

    A join that starts empty passes on no row that it has not seen come.
    """
    for reader in plan.readers(node.id):
        keeps = is_stateful(reader) and reader.type != "sink"
        if keeps or reader.data.get("requireUpsertMaterialize") or _feeds_state(plan, reader):
            return True
    return False


def _rewritten(plan: CompiledPlan, split: _Split) -> dict[str, Any]:
    """The plan's JSON with the old nodes in the place of the new one."""
    new = split.new.node
    build = _Build(max(node.id for node in plan) + 1)
    below = plan.node(new.inputs[0]).inputs[0]
    made = [_kept(build, one, split.new, below) for one in split.olds]
    if split.fresh:
        made.append(_computed(build, split, below))
    width = len(split.new.node.data["grouping"])
    columns, calls = list(made[0].columns), list(made[0].calls)
    top, together = made[0].id, made[0]
    for one in made[1:]:
        together = _joined(build, together, one, width, new)
        top, columns, calls = together.id, list(together.columns), list(together.calls)
    places = [*range(width), *(calls.index(call) for call in _calls(split.new))]
    build.add(_calc(places, columns, new.data["outputType"]), top, id=new.id)
    return build.into(plan, new.id)


@dataclass(frozen=True, slots=True)
class _Made:
    """A node of the new plan; ``calls``: what each of its columns computes, None for keys."""

    id: int
    columns: tuple[Column, ...]
    calls: tuple[Item | None, ...]


def _kept(build: _Build, old: StateNode, new: StateNode, below: int) -> _Made:
    """The old node as it was, over columns in the order that it knows."""
    node = old.node
    columns = _columns(old)
    places = _arranged(old, new)
    assert places is not None
    arranged = below
    if places != tuple(range(len(new.reading.types))):
        arranged = build.add(_calc(places, _columns(new), row_type(columns)), below)
    spread = build.add(_exchange(node.data["grouping"], row_type(columns)), arranged)
    data = {**new.node.data, **{key: node.data[key] for key in _OWN if key in node.data}}
    id = build.add(data, spread)
    keys: list[Item | None] = [None] * len(node.data["grouping"])
    return _Made(id, node.columns, (*keys, *_calls(old)))


_OWN = ("grouping", "aggCalls", "aggCallNeedRetractions", "outputType", "description")
"""What an aggregation computes; all else is as the new script wants it."""


def _computed(build: _Build, split: _Split, below: int) -> _Made:
    """A node for what is new."""
    data, width = split.new.node.data, len(split.new.node.data["grouping"])
    columns = split.new.node.columns
    kept = (*columns[:width], *(columns[width + at] for at in split.fresh))
    retracted = data["aggCallNeedRetractions"]
    fresh = {
        **data,
        "aggCalls": [data["aggCalls"][at] for at in split.fresh],
        "aggCallNeedRetractions": [retracted[at] for at in split.fresh],
        "outputType": row_type(kept),
    }
    keys: list[Item | None] = [None] * width
    calls = [_calls(split.new)[at] for at in split.fresh]
    spread = build.add(_exchange(data["grouping"], row_type(_columns(split.new))), below)
    return _Made(build.add(fresh, spread), kept, (*keys, *calls))


def _joined(build: _Build, left: _Made, right: _Made, width: int, like: Node) -> _Made:
    """Both halves of a group side by side, once both are there."""
    keys = list(range(width))
    names = Counter(column.name for column in left.columns)
    renamed = tuple(
        Column(f"{one.name}_{len(left.columns)}" if one.name in names else one.name, one.type)
        for one in right.columns
    )
    columns = (*left.columns, *renamed)
    ttl = like.data["state"][0]["ttl"]
    sides = [build.add(_exchange(keys, row_type(side.columns)), side.id) for side in (left, right)]
    join = {
        "type": "stream-exec-join_1",
        "joinSpec": {
            "joinType": "INNER",
            "leftKeys": keys,
            "rightKeys": keys,
            "filterNulls": [False] * width,
            "nonEquiCondition": None,
        },
        "leftUpsertKeys": [keys],
        "rightUpsertKeys": [keys],
        "state": [
            {"index": index, "ttl": ttl, "name": name}
            for index, name in enumerate(("leftState", "rightState"))
        ],
        "inputProperties": [_property({"type": "UNKNOWN"})] * 2,
        "outputType": row_type(columns),
        "description": "Join(old and new aggregates)",
    }
    return _Made(build.add(join, *sides), columns, (*left.calls, *right.calls))


def _columns(node: StateNode) -> tuple[Column, ...]:
    """The columns that it reads."""
    read = node.reading
    return tuple(
        Column(name, type) for name, type in zip(read.inputs.names, read.types, strict=True)
    )


def _calc(places: Sequence[int], columns: Sequence[Column], output: object) -> dict[str, Any]:
    """Columns of the input in another order."""
    return {
        "type": "stream-exec-calc_1",
        "projection": [
            {"kind": "INPUT_REF", "inputIndex": at, "type": type_data(columns[at].type)}
            for at in places
        ],
        "condition": None,
        "inputProperties": [_property({"type": "UNKNOWN"})],
        "outputType": output,
        "description": "Calc(columns as they were)",
    }


def _exchange(keys: Sequence[int], output: object) -> dict[str, Any]:
    spread = {"type": "HASH", "keys": list(keys)} if keys else {"type": "SINGLETON"}
    return {
        "type": "stream-exec-exchange_1",
        "inputProperties": [_property(spread)],
        "outputType": output,
        "description": "Exchange",
    }


def _property(distribution: Data) -> dict[str, Any]:
    return {"requiredDistribution": distribution, **_ONE_WAY}


@dataclass(slots=True)
class _Build:
    """Nodes and edges that are added to a plan; ``next`` is an id that is free."""

    next: int
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)

    def add(self, data: Data, *inputs: int, id: int | None = None) -> int:
        """A node over others; its id."""
        if id is None:
            id, self.next = self.next, self.next + 1
        self.nodes.append({**data, "id": id})
        shuffle = {"shuffle": {"type": "FORWARD"}, "shuffleMode": "PIPELINED"}
        self.edges += [{"source": source, "target": id, **shuffle} for source in inputs]
        return id

    def into(self, plan: CompiledPlan, replaced: int) -> dict[str, Any]:
        """The plan with them in the place of one node, whose readers read the last of them."""
        nodes: list[Data] = []
        for node in plan.data["nodes"]:
            nodes += self.nodes if node["id"] == replaced else [node]
        edges = [edge for edge in plan.data["edges"] if edge["target"] != replaced]
        read = {edge["source"] for edge in (*edges, *self.edges)}
        idle = {id for id in plan.node(replaced).inputs if id not in read}
        return {
            **plan.data,
            "nodes": [node for node in nodes if node["id"] not in idle],
            "edges": [edge for edge in (*edges, *self.edges) if edge["target"] not in idle],
        }
