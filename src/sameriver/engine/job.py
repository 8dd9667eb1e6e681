"""A job: a running plan that takes batches, watermarks and timers one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK, Changes, Watermark
from sameriver.common.config import Config
from sameriver.common.errors import InternalError
from sameriver.common.time import Clock, SystemClock
from sameriver.connectors.connector import (
    Committable,
    CommittingSink,
    Sink,
    Source,
    SourceBatch,
)
from sameriver.engine.graph import build, is_sharded
from sameriver.engine.snapshot import JobCapture, JobState, SourceState
from sameriver.engine.tables import open_sink, open_source
from sameriver.engine.vertex import Vertex
from sameriver.operators.values import values_rows
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink as SinkNode
from sameriver.plan.physical.values import Values

Sources = Callable[[Scan], Source | None]
"""Stands in for the source of a scan; None: the table's own connector."""
Sinks = Callable[[SinkNode], Sink | None]
"""Stands in for the sink of a root; None: the table's own connector."""


@dataclass(slots=True)
class _Input:
    """A source: what takes its rows, and how far it was read."""

    vertex: Vertex
    state: SourceState = field(default_factory=SourceState)


class Job:
    """Runs a plan step by step, in the caller's thread.

    Between two calls all state is consistent, so that ``snapshot`` may come at any point. The
    order of calls: ``restore`` if at all, then ``push``, ``finish`` and the like, then ``close``.
    ``driver.Driver`` does this from the tables' own sources; a test may do it by hand.

    Attributes:
        clock: processing time.
        config: options.
        sources: what is to be read, ``Scan`` and ``Values`` nodes; ``finish`` each of them.
        rows_in: rows pushed so far.
    """

    def __init__(
        self,
        roots: Sequence[SinkNode],
        config: Config,
        *,
        clock: Clock | None = None,
        sources: Sources | None = None,
        sinks: Sinks | None = None,
    ) -> None:
        self.config = config
        self.clock = clock or SystemClock()
        self.rows_in = 0
        self._stand_in = sources
        self._commits = False
        self._executor = _executor(roots, config)
        self._sinks: list[Sink] = []
        try:
            for root in roots:
                self._sinks.append(self._open_sink(root, sinks))
            writers = [sink.write for sink in self._sinks]
            self._graph = build(roots, config, self.clock, writers, self._executor)
        except BaseException:
            self.abort()
            raise
        self.sources: tuple[PhysicalNode, ...] = tuple(self._graph.sources)
        # One look-up a batch: the hash of a node is that of all that is below it.
        self._inputs = {node: _Input(vertex) for node, vertex in self._graph.sources.items()}

    def _open_sink(self, root: SinkNode, sinks: Sinks | None) -> Sink:
        sink = sinks(root) if sinks is not None else None
        if sink is not None:
            return sink
        if root.table is None:
            raise InternalError("NO_SINK", "the changelog of a query has nowhere to go")
        return open_sink(root.table, self.config, self.clock)

    def source(self, scan: Scan) -> Source:
        """Opens the source of a scan and seeks it to where the job stands.

        Raises:
            UserError: the table can't be read.
            ExternalError: its input can't be opened.
        """
        source = self._stand_in(scan) if self._stand_in is not None else None
        if source is None:
            source = open_source(scan, self.config, self.clock)
        position = self._inputs[scan].state.position
        if position is not None:
            source.seek(position)
        return source

    # Input.

    def push(self, scan: PhysicalNode, batch: SourceBatch) -> None:
        """Takes rows of a source through the whole graph, then its watermark."""
        source = self._inputs[scan]
        vertex = source.vertex
        count = 0 if batch.changes is None else len(batch.changes)
        source.state = SourceState(position=batch.position, rows=source.state.rows + count)
        vertex.rest(False)
        if batch.changes is not None:
            self.rows_in += count
            vertex.send(batch.changes)
        if batch.watermark is not None:
            vertex.emit(Watermark(batch.watermark))
        if batch.finished:
            self.finish(scan)

    def push_rows(self, scan: PhysicalNode, changes: Changes) -> None:
        """Takes rows that have no position to go on from."""
        self.push(scan, SourceBatch(changes, {}))

    def watermark(self, scan: PhysicalNode, time: int) -> None:
        """A watermark that the source itself gives (SOURCE_WATERMARK()), in ms."""
        self._inputs[scan].vertex.emit(Watermark(time))

    def idle(self, scan: PhysicalNode) -> None:
        """The source is silent: until its next rows it holds no watermark back."""
        self._inputs[scan].vertex.rest(True)

    def fire_timers(self) -> None:
        """Calls all processing-time timers that are due by the clock."""
        now = self.clock.now()
        for vertex in self._graph.vertices:
            vertex.fire(now)

    def next_timer(self) -> int | None:
        """When the next timer is due, in ms of processing time."""
        times = [time for v in self._graph.vertices if (time := v.next_timer()) is not None]
        return min(times, default=None)

    def finish(self, scan: PhysicalNode) -> None:
        """The source has ended: its watermark goes to the maximum. Literal rows come now."""
        source = self._inputs[scan]
        if source.state.finished:
            return
        source.state = replace(source.state, finished=True)
        vertex = source.vertex
        vertex.rest(False)
        if isinstance(scan, Values):
            vertex.send(Changes(values_rows(scan, self.config.zone, self.clock)))
        vertex.emit(Watermark(MAX_WATERMARK))

    def is_finished(self, scan: PhysicalNode) -> bool:
        return self._inputs[scan].state.finished

    # State.

    def snapshot(self) -> JobState:
        """All state, free of the number of shards."""
        return JobState(
            nodes=tuple(vertex.snapshot() for vertex in self._graph.vertices),
            sources=tuple(source.state for source in self._inputs.values()),
        )

    def restore(self, state: JobState) -> None:
        """Takes over the state of a job of the same plan; before any input."""
        for vertex, node in zip(self._graph.vertices, state.nodes, strict=True):
            vertex.restore(node)
        for source, saved in zip(self._inputs.values(), state.sources, strict=True):
            source.state = saved

    def stands(
        self, known: Mapping[int, tuple[tuple[int, ...], int]]
    ) -> list[tuple[tuple[int, ...], int]]:
        """Watermarks of the inputs and the output of each node, in the order of ``nodes``.

        Args:
            known: of some nodes, by place. The others stand where what they read stands.
        """
        found: list[tuple[tuple[int, ...], int]] = []
        given: dict[PhysicalNode, int] = {}
        for place, vertex in enumerate(self._graph.vertices):
            below = tuple(given[node] for node in vertex.node.inputs)
            found.append(known.get(place, (below, min(below, default=MIN_WATERMARK))))
            given[vertex.node] = vertex.given(found[-1][1])
        return found

    def tell(self, number: int, changes: Changes) -> None:
        """Gives a sink changes that don't come from the plan; their columns go by position."""
        names = self._graph.sinks[number].node.inputs[0].schema.names
        renamed = changes.rows.rename(dict(zip(changes.rows.columns, names, strict=True)))
        self._sinks[number].write(changes.with_rows(renamed))

    # Checkpoints.

    @property
    def nodes(self) -> tuple[PhysicalNode, ...]:
        """All nodes, inputs before what reads them: the order of ``JobState.nodes``."""
        return tuple(vertex.node for vertex in self._graph.vertices)

    def capture(self, *, last: bool) -> JobCapture:
        """Copies what has to be saved; what plain sinks were given is made visible.

        Args:
            last: no more input will come.
        """
        return JobCapture(
            nodes=tuple(vertex.capture() for vertex in self._graph.vertices),
            sources=tuple(source.state for source in self._inputs.values()),
            sinks=tuple(_prepare(sink, last) for sink in self._sinks),
        )

    def recover(self, committables: Sequence[Committable | None] | None) -> None:
        """Tells sinks that checkpoints decide when their output shows, and where they stand.

        Args:
            committables: of the checkpoint that the job goes on from; None: it starts afresh.
        """
        self._commits = True
        known = [None] * len(self._sinks) if committables is None else committables
        for sink, committable in zip(self._sinks, known, strict=True):
            if isinstance(sink, CommittingSink):
                sink.recover(committable)

    def commit(self, committables: Sequence[Committable | None]) -> None:
        """Shows output that a checkpoint covers."""
        for sink, committable in zip(self._sinks, committables, strict=True):
            if isinstance(sink, CommittingSink) and committable is not None:
                sink.commit(committable)

    # Output and end.

    def flush(self) -> None:
        """Makes what was written visible, as far as the sinks can."""
        for sink in self._sinks:
            if not (self._commits and isinstance(sink, CommittingSink)):
                sink.flush()

    def close(self) -> None:
        """Flushes and closes the sinks. Not an end of input: ``finish`` the sources for that."""
        for sink in self._sinks:
            sink.close()
        self._shut_down()

    def abort(self) -> None:
        """The job failed: lets go of everything; what plain sinks have written stays."""
        for sink in self._sinks:
            sink.abort()
        self._shut_down()

    def _shut_down(self) -> None:
        if self._executor is not None:
            self._executor.shutdown()

    # Metrics.

    def counters(self) -> Mapping[str, int]:
        """``rows_in``, and what operators count: ``rows_out``, ``late_rows``, ``null_rows``."""
        total: Counter[str] = Counter(
            {"rows_in": self.rows_in, "rows_out": 0, "late_rows": 0, "null_rows": 0}
        )
        for vertex in self._graph.vertices:
            for operator in vertex.operators:
                total.update(operator.context.counters)
        return total

    def output_watermark(self) -> int:
        """The lowest watermark that reached a sink."""
        return min(vertex.watermark for vertex in self._graph.sinks)


def _prepare(sink: Sink, last: bool) -> Committable | None:
    if isinstance(sink, CommittingSink):
        return sink.prepare(last=last)
    sink.flush()
    return None


def _executor(roots: Sequence[PhysicalNode], config: Config) -> ThreadPoolExecutor | None:
    shards = config.integer("parallelism.default")
    if shards == 1 or not any(_any_sharded(root) for root in roots):
        return None
    return ThreadPoolExecutor(shards, thread_name_prefix="shard")


def _any_sharded(node: PhysicalNode) -> bool:
    return is_sharded(node) or any(_any_sharded(below) for below in node.inputs)
