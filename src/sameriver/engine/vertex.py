"""A running node: its shards, the watermarks of its inputs, and where its output goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from sameriver.common.changes import MAX_WATERMARK, MIN_WATERMARK, Changes, Event, Watermark
from sameriver.common.errors import ExternalError, InternalError
from sameriver.common.frames import FEW
from sameriver.engine.events import clip, cut, delayed, keys_of, merge, share
from sameriver.engine.snapshot import NodeCapture, NodeState, merge_tables, split_tables
from sameriver.functions.failure import evaluating
from sameriver.operators.operator import Operator
from sameriver.plan.physical.node import PhysicalNode


class Vertex:
    """One node of the running graph.

    Attributes:
        node: what it runs.
        operators: its shards; none for a source.
        watermark: the combined watermark of its inputs.
        emitted: the watermark that the nodes above have been given, before any delay.
    """

    def __init__(
        self,
        node: PhysicalNode,
        operators: Sequence[Operator],
        executor: ThreadPoolExecutor | None = None,
    ) -> None:
        self.node = node
        self.operators = tuple(operators)
        self.watermark = MIN_WATERMARK
        self.emitted = MIN_WATERMARK
        self.idle = False
        self._executor = executor
        self._outputs: list[tuple[Vertex, int]] = []
        self._ports = [MIN_WATERMARK] * len(node.inputs)
        self._idle_ports = [False] * len(node.inputs)
        self._columns = dict(node.schema.to_polars())
        self._details = "; ".join(f"{name}: {text}" for name, text in node.details())
        self._assigns = bool(operators) and operators[0].assigns
        self._delay = operators[0].delay if operators else 0
        self._waits = any(type(one).on_watermark is not Operator.on_watermark for one in operators)

    def feed(self, consumer: Vertex, port: int) -> None:
        """Sends the output to input ``port`` of ``consumer`` too."""
        self._outputs.append((consumer, port))

    def connect(self) -> None:
        """Tells the operators what the node that alone reads them needs, once all are fed."""
        if len(self._outputs) == 1:
            for reader in self._outputs[0][0].operators[:1]:
                for operator in self.operators:
                    operator.read_by = reader.needs

    # Events in.

    def take(self, port: int, event: Event) -> None:
        """One event from input ``port``."""
        if isinstance(event, Watermark):
            self._ports[port] = max(self._ports[port], event.time)
            self._advance()
        elif len(event):
            self._process(port, self._combined(port, event))

    def set_idle(self, port: int, idle: bool) -> None:
        """An idle input does not hold the watermark back; all idle makes the node idle."""
        if self._idle_ports[port] == idle:
            return
        self._idle_ports[port] = idle
        self._advance()
        self.rest(all(self._idle_ports))

    def rest(self, idle: bool) -> None:
        """The output is idle from now on, or no longer."""
        if self.idle != idle:
            self.idle = idle
            for consumer, port in self._outputs:
                consumer.set_idle(port, idle)

    def fire(self, now: int) -> None:
        """Calls timers that are due at ``now``, earliest first."""
        while True:
            due = [
                (t, i) for i, op in enumerate(self.operators) if (t := op.next_timer()) is not None
            ]
            if not due or min(due)[0] > now:
                return
            self._send(list(self._guard(self.operators[min(due)[1]].on_timer)))

    def next_timer(self) -> int | None:
        times = [time for operator in self.operators if (time := operator.next_timer()) is not None]
        return min(times, default=None)

    # Events out.

    def emit(self, event: Event) -> None:
        """Gives an event to the nodes above; watermarks that do not move are swallowed."""
        if isinstance(event, Watermark):
            if event.time <= self.emitted:
                return
            self.emitted = event.time
        elif not len(event):
            return
        elif event.watermarks is not None:
            self.emitted = max(self.emitted, event.watermarks[-1])
        if self._delay:
            event = delayed(event, self._delay)
        for consumer, port in self._outputs:
            consumer.take(port, event)

    def given(self, time: int) -> int:
        """The watermark that the nodes above have been given once ``emitted`` is ``time``."""
        moved = delayed(Watermark(time), self._delay) if self._delay else Watermark(time)
        assert isinstance(moved, Watermark)
        return max(moved.time, MIN_WATERMARK)

    def send(self, event: Event) -> None:
        """Gives an event to the nodes above, its columns checked."""
        if isinstance(event, Changes):
            self._check(event)
        self.emit(event)

    def _send(self, events: Iterable[Event]) -> None:
        for event in events:
            self.send(event)

    def _check(self, changes: Changes) -> None:
        if dict(changes.rows.schema) != self._columns:
            name = type(self.node).__name__
            raise InternalError(
                "WRONG_COLUMNS",
                f"'{name}' gave {dict(changes.rows.schema)} instead of {self._columns}",
            )

    # Rows.

    def _combined(self, port: int, changes: Changes) -> Changes:
        """The batch with the watermarks this node sees: the minimum over its inputs."""
        if changes.watermarks is None:
            return changes
        self._ports[port] = max(self._ports[port], changes.watermarks[-1])
        after = None
        if not self._assigns:
            after = clip(changes.watermarks, self.watermark, self._minimum(but=port))
        return Changes(changes.rows, changes.kinds, after)

    def _process(self, port: int, changes: Changes) -> None:
        distribution = self.node.distribution
        if distribution is not None:
            changes = changes.in_one_piece()
        if len(self.operators) == 1 or distribution is None:
            outputs = [self._run(self.operators[0], port, [changes])]
        else:
            keys, shards = keys_of(changes.rows, distribution[port]), len(self.operators)
            outputs = self._parallel(
                lambda i, op: self._run(op, port, share(changes, keys.rows(i, shards))),
                pays=len(changes) > FEW,
            )
        self._send(merge(outputs, self.emitted))
        self._advance()

    def _run(self, operator: Operator, port: int, events: Sequence[Event]) -> list[Event]:
        """One shard's answer to its share of a batch."""
        output: list[Event] = []
        for event in events:
            if isinstance(event, Watermark):
                output.extend(self._move(operator, event.time))
            elif operator.splits:
                output.extend(self._guard(operator.process, port, event))
                if event.watermarks is not None:
                    output.extend(self._move(operator, event.watermarks[-1]))
            else:
                for rows, time in cut(event, operator.watermark):
                    output.extend(self._guard(operator.process, port, rows))
                    if event.watermarks is not None:
                        output.extend(self._move(operator, time))
        return output

    def _move(self, operator: Operator, time: int) -> list[Event]:
        """Moves one shard's watermark; what that releases, then the watermark."""
        if time <= operator.watermark:
            return []
        operator.watermark = time
        return [*self._guard(operator.on_watermark), Watermark(time)]

    def _parallel(
        self, work: Callable[[int, Operator], list[Event]], *, pays: bool = True
    ) -> list[list[Event]]:
        """What each shard gives; from several threads if there is enough to do."""
        if self._executor is None or len(self.operators) == 1 or not pays:
            return [work(i, operator) for i, operator in enumerate(self.operators)]
        return list(self._executor.map(work, range(len(self.operators)), self.operators))

    def _guard(self, call: Callable[..., Iterable[Event]], *args: object) -> list[Event]:
        """Calls an operator; what fails on values is told with the node it came from."""
        try:
            with evaluating(f"'{type(self.node).__name__}'", self._details):
                return list(call(*args))
        except ExternalError as error:
            error.at(self.node.position)
            raise

    # Watermarks.

    def _minimum(self, but: int | None = None) -> int:
        """Lowest watermark of the inputs that are not idle, one of them left out."""
        return min(
            (
                time
                for port, time in enumerate(self._ports)
                if port != but and not self._idle_ports[port]
            ),
            default=MAX_WATERMARK,
        )

    def _advance(self) -> None:
        """Moves the node's watermark to where its inputs stand, and passes it on."""
        if self._idle_ports and not all(self._idle_ports):
            self.watermark = max(self.watermark, self._minimum())
        time = self.watermark
        if self._assigns:
            if time == MAX_WATERMARK:
                self.emit(Watermark(time))
            return
        if any(operator.watermark < time for operator in self.operators):
            outputs = self._parallel(
                lambda _, operator: self._move(operator, time), pays=self._waits
            )
            self._send(merge(outputs, self.emitted))
        self.emit(Watermark(time))

    # State.

    def snapshot(self) -> NodeState:
        tables = merge_tables([operator.context.store.snapshot() for operator in self.operators])
        return NodeState(tables=tables, watermarks=tuple(self._ports), emitted=self.emitted)

    def capture(self) -> NodeCapture:
        """Copies what changed since the last capture, shard by shard."""
        stores = [operator.context.store for operator in self.operators]
        return NodeCapture(
            shards=tuple(store.capture(whole=False) for store in stores),
            watermarks=tuple(self._ports),
            emitted=self.emitted,
        )

    def restore(self, state: NodeState) -> None:
        """Takes over a snapshot, of any number of shards."""
        self._ports = list(state.watermarks)
        self.watermark = min(self._ports, default=MIN_WATERMARK)
        self.emitted = state.emitted
        shares = split_tables(state.tables, self.node, len(self.operators))

        def load(number: int, operator: Operator) -> list[Event]:
            operator.context.store.restore(shares[number])
            operator.watermark = self.emitted if self._assigns else self.watermark
            operator.restored()
            return []

        self._parallel(load)
