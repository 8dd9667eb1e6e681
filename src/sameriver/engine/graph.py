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
    graph = Graph()
    shards = config.integer("parallelism.default")
    known: dict[PhysicalNode, Vertex] = {}

    def context() -> OperatorContext:
        return OperatorContext(
            clock=clock,
            config=config,
            zone=config.zone,
            open_lookup=lambda node: open_lookup(node, config, clock),
        )

    def add(node: PhysicalNode, operators: Sequence[Operator]) -> Vertex:
        vertex = Vertex(node, operators, executor)
        for port, below in enumerate(node.inputs):
            visit(below).feed(vertex, port)
        graph.vertices.append(vertex)
        return vertex

    def visit(node: PhysicalNode) -> Vertex:
        if node in known:
            return known[node]
        if isinstance(node, Scan | Values):
            vertex = graph.sources[node] = add(node, [])
        else:
            count = shards if is_sharded(node) else 1
            vertex = add(node, [_operator(node, context()) for _ in range(count)])
        known[node] = vertex
        return vertex

    for root, write in zip(roots, writers, strict=True):
        graph.sinks.append(add(root, [SinkOperator(root, context(), write)]))
    for vertex in graph.vertices:
        vertex.connect()
    return graph


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
