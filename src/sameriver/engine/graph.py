"""Builds the running graph of a job from its physical plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sameriver.common.changes import Changes
from sameriver.common.config import Config
from sameriver.common.errors import InternalError
from sameriver.common.time import Clock
from sameriver.engine.tables import open_lookup
from sameriver.engine.vertex import Vertex
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.registry import OPERATORS
from sameriver.operators.sink import SinkOperator
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.values import Values

Writer = Callable[[Changes], None]
"""Where the rows of a sink go."""


@dataclass(slots=True)
class Graph:
    """The running nodes of a job.

    Attributes:
        vertices: inputs before what reads them.
        sources: those that read a table or literal rows.
        sinks: one a root of the plan.
    """

    vertices: list[Vertex] = field(default_factory=list)
    sources: dict[PhysicalNode, Vertex] = field(default_factory=dict)
    sinks: list[Vertex] = field(default_factory=list)


def build(
    roots: Sequence[Sink],
    config: Config,
    clock: Clock,
    writers: Sequence[Writer],
    executor: ThreadPoolExecutor | None,
) -> Graph:
    """Operators for all nodes; equal nodes run once, but each root is a sink of its own."""
    builder = _Builder(config, clock, executor)
    for root, write in zip(roots, writers, strict=True):
        sink = SinkOperator(root, builder.context(), write)
        builder.graph.sinks.append(builder.add(root, [sink]))
    for vertex in builder.graph.vertices:
        vertex.connect()
    return builder.graph


class _Builder:
    """Adds nodes to a graph.

    No function that knows itself does it: it would hold the graph, and so the state of the job,
    until Python looks for cycles, which may be long after the job.
    """

    def __init__(self, config: Config, clock: Clock, executor: ThreadPoolExecutor | None) -> None:
        self.graph = Graph()
        self._config, self._clock, self._executor = config, clock, executor
        self._shards = config.integer("parallelism.default")
        self._known: dict[PhysicalNode, Vertex] = {}

    def context(self) -> OperatorContext:
        config, clock = self._config, self._clock
        return OperatorContext(
            clock=clock,
            config=config,
            zone=config.zone,
            open_lookup=lambda node: open_lookup(node, config, clock),
        )

    def add(self, node: PhysicalNode, operators: Sequence[Operator]) -> Vertex:
        vertex = Vertex(node, operators, self._executor)
        for port, below in enumerate(node.inputs):
            self._visit(below).feed(vertex, port)
        self.graph.vertices.append(vertex)
        return vertex

    def _visit(self, node: PhysicalNode) -> Vertex:
        if node in self._known:
            return self._known[node]
        if isinstance(node, Scan | Values):
            vertex = self.graph.sources[node] = self.add(node, [])
        else:
            count = self._shards if is_sharded(node) else 1
            vertex = self.add(node, [_operator(node, self.context()) for _ in range(count)])
        self._known[node] = vertex
        return vertex


def is_sharded(node: PhysicalNode) -> bool:
    """Whether the node keeps state by a key, so that shards of it can run side by side."""
    return node.distribution is not None and all(node.distribution)


def _operator(node: PhysicalNode, context: OperatorContext) -> Operator:
    factory = OPERATORS.get(type(node))
    if node.refusal is not None:
        raise node.refusal.at(node.position)
    if factory is None:
        raise InternalError("NO_OPERATOR", f"no operator runs '{type(node).__name__}'")
    return factory(node, context)
