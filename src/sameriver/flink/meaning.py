"""The meaning of the state of each node of a plan.

The language is that of the meanings of our own state: expressions over source columns, aliases and
views resolved. What lies on top of a node plays no part, nor do filters below it: those are kept
beside, since they decide which rows reached the state but not what it holds.
"""

from __future__ import annotations

import hashlib
from functools import cached_property

from sameriver.common.dataclass import dataclass
from sameriver.flink.compiled import CompiledPlan, Node
from sameriver.flink.parts import Part, Reading, parts_of
from sameriver.flink.rows import Rows, is_stateful, reading, rows_of, told_apart

_LABELS = ("table", "key", "partition key", "window", "order", "limit")
"""Parts that say best which node is meant, the best first."""
_DIGITS = 16
RESULT = "sameriver_result"
"""How the tables are called that stand for what a SELECT shows."""


@dataclass(frozen=True, eq=False)
class StateNode:
    """A stateful node, a source or a sink.

    Attributes:
        parts: what its state hangs on, in the order of the node's fields.
        origin: the rows that reach it: sources, joins, groups, without filters.
        filters: the conditions that they have met.
        sources, sinks: the tables that it depends on, and those that depend on it, sorted.
        reading: its inputs.
    """

    node: Node
    parts: tuple[Part, ...]
    origin: str
    filters: tuple[str, ...]
    sources: tuple[str, ...]
    sinks: tuple[str, ...]
    reading: Reading

    @property
    def kind(self) -> str:
        return {"TableSourceScan": "Source"}.get(self.node.kind, self.node.kind)

    @property
    def label(self) -> str:
        """What of its kind it is: the table, the keys, the window."""
        for noun in _LABELS:
            items = self.items(noun)
            if items:
                return ", ".join(items)
        return self.origin

    def items(self, noun: str) -> tuple[str, ...]:
        """The meanings of the parts of one sort."""
        return tuple(
            item.meaning for part in self.parts if part.noun == noun for item in part.items
        )

    @cached_property
    def meaning(self) -> str:
        """All that its state means, as text: equal texts, equal state."""
        told = [f"{part.noun}: {', '.join(map(str, part.items))}" for part in self.parts]
        rows = [f"rows: {self.origin}"] if self.keeps_rows else []
        return "\n".join([self.kind, *told, *rows])

    @property
    def keeps_rows(self) -> bool:
        """Whether it keeps something of its input: most sinks only know what they have written."""
        return self.node.type != "sink" or bool(self.items("stored column"))

    @property
    def is_result(self) -> bool:
        """Whether it is no table of the script's."""
        return self.node.type == "sink" and self.label.startswith(RESULT)

    @property
    def base(self) -> str:
        """Its kind and a fingerprint of its meaning: ``GroupAggregate-0123456789abcdef``."""
        return f"{self.kind}-{fingerprint(self.meaning)}"


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def state_nodes(plan: CompiledPlan) -> tuple[StateNode, ...]:
    """All stateful nodes, sources and sinks of a plan, inputs first."""
    rows: dict[int, Rows] = {}
    found: list[StateNode] = []
    sinks = _sinks(plan)
    for node in plan:
        below = told_apart(node, [rows[id] for id in node.inputs])
        read = reading(node, [plan.node(id) for id in node.inputs], below)
        parts = parts_of(read)
        rows[node.id] = rows_of(read, below, parts)
        if is_stateful(node):
            found.append(
                StateNode(
                    node=node,
                    parts=parts,
                    origin="; ".join(one.origin for one in below),
                    filters=tuple(sorted({one for side in below for one in side.filters})),
                    sources=tuple(sorted({one for side in below for one in side.sources})),
                    sinks=sinks[node.id],
                    reading=read,
                )
            )
    return tuple(found)


def _sinks(plan: CompiledPlan) -> dict[int, tuple[str, ...]]:
    """The tables that each node's rows end in, by the node's id."""
    found: dict[int, set[str]] = {node.id: set() for node in plan}
    for node in reversed(plan.nodes):
        if node.type == "sink":
            found[node.id].add(node.data["dynamicTableSink"]["table"].get("identifier", ""))
        for id in node.inputs:
            found[id] |= found[node.id]
    return {id: tuple(sorted(tables)) for id, tables in found.items()}
