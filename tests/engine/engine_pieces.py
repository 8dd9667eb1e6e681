"""Small plan nodes, operators, sources and sinks that the engine is tested with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from sameriver.common.changes import KINDS, Changes, Event
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, ROWTIME, STRING
from sameriver.connectors.connector import Position, SourceBatch
from sameriver.engine.job import Job
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.registry import OPERATORS
from sameriver.plan.expressions import Column
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.table import Table

EVENTS = Schema.of([("k", STRING), ("ts", ROWTIME)])
BUCKETS = Schema.of([("k", STRING), ("bucket", BIGINT), ("n", BIGINT)])


def scan(name: str = "events", schema: Schema = EVENTS) -> Scan:
    table = Table(name=name, schema=schema, physical=schema.fields, options={"connector": "test"})
    return Scan(schema=schema, table=table)


def watermarked(below: PhysicalNode, *, on_event: bool = False) -> WatermarkAssigner:
    return WatermarkAssigner(
        schema=below.schema,
        input=below,
        column="ts",
        expression=Column("ts", ROWTIME),
        on_event=on_event,
    )


def sink(below: PhysicalNode) -> Sink:
    return Sink(schema=below.schema, input=below, table=None)


def events(*rows: tuple[str | None, int | None]) -> Changes:
    """Rows of a key and a time in ms."""
    frame = pl.DataFrame(
        {"k": [k for k, _ in rows], "ts": [t for _, t in rows]},
        schema={"k": pl.String, "ts": pl.Int64},
    )
    return Changes(frame.cast({"ts": pl.Datetime("ms")}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets(PhysicalNode):
    """Counts rows by key and bucket of 10 ms; emits a bucket when the watermark passes its end."""

    input: PhysicalNode

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...]:
        return (("k",),)

    def state(self) -> tuple[StateTable, ...]:
        def column(name: str, role: Role) -> StateColumn:
            return StateColumn(name=name, type=BUCKETS[name], meaning=Meaning(name), role=role)

        return (
            StateTable(
                name="counts",
                key=(column("k", Role.KEY), column("bucket", Role.KEY)),
                values=(column("n", Role.INDEPENDENT),),
                scope=RowScope(sources=("events",)),
            ),
        )


class Counts:
    """The state of ``Buckets``: a dict."""

    def __init__(self, declaration: StateTable) -> None:
        self.declaration = declaration
        self.rows: dict[tuple[str | None, int], int] = {}

    def snapshot(self) -> pl.DataFrame:
        rows = [(k, bucket, n) for (k, bucket), n in self.rows.items()]
        return pl.DataFrame(rows, schema=BUCKETS.to_polars(), orient="row")

    def restore(self, rows: pl.DataFrame) -> None:
        self.rows = {(k, bucket): n for k, bucket, n in rows.iter_rows()}


class BucketsOperator(Operator):
    def __init__(self, node: Buckets, context: OperatorContext) -> None:
        super().__init__(context)
        self.counts = Counts(node.state()[0])
        context.store.register(self.counts)

    def process(self, port: int, changes: Changes) -> Iterable[Event]:
        assert changes.watermarks is None
        for key, time in changes.rows.cast({"ts": pl.Int64}).iter_rows():
            bucket = time // 10
            if bucket * 10 + 9 <= self.watermark:
                self.context.counters["late_rows"] += 1
            else:
                self.counts.rows[key, bucket] = self.counts.rows.get((key, bucket), 0) + 1
        return ()

    def on_watermark(self) -> Iterator[Changes]:
        due = sorted(b for _, b in self.counts.rows if b * 10 + 9 <= self.watermark)
        for bucket in dict.fromkeys(due):
            keys = [k for k, b in self.counts.rows if b == bucket]
            rows = [(k, bucket, self.counts.rows.pop((k, bucket))) for k in keys]
            yield Changes(pl.DataFrame(rows, schema=BUCKETS.to_polars(), orient="row"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm(PhysicalNode):
    """Repeats each batch 100 ms of processing time later."""

    input: PhysicalNode

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.input,)


class AlarmOperator(Operator):
    splits = True

    def __init__(self, node: Alarm, context: OperatorContext) -> None:
        super().__init__(context)
        self.held: list[tuple[int, Changes]] = []

    def process(self, port: int, changes: Changes) -> Iterable[Event]:
        self.held.append((self.context.clock.now() + 100, changes))
        return ()

    def next_timer(self) -> int | None:
        return self.held[0][0] if self.held else None

    def on_timer(self) -> Iterator[Changes]:
        yield self.held.pop(0)[1]


OPERATORS[Buckets] = BucketsOperator
OPERATORS[Alarm] = AlarmOperator


class Collector:
    """A sink that keeps rows and remembers how it ended."""

    def __init__(self) -> None:
        self.batches: list[Changes] = []
        self.ended = ""

    def write(self, changes: Changes) -> None:
        self.batches.append(changes)

    def flush(self) -> None: ...

    def close(self) -> None:
        self.ended += "closed"

    def abort(self) -> None:
        self.ended += "aborted"

    def rows(self) -> list[tuple[object, ...]]:
        return [row for batch in self.batches for row in batch.rows.iter_rows()]


class ListSource:
    """A source of given batches; bounded unless ``bounded`` says otherwise."""

    def __init__(
        self, batches: Iterable[Changes], *, bounded: bool = True, error: Exception | None = None
    ) -> None:
        self.batches = list(batches)
        self.bounded = bounded
        self.error = error
        self.next = 0
        self.closed = False

    def poll(self, rows: int) -> SourceBatch:
        if self.next < len(self.batches):
            self.next += 1
            return SourceBatch(self.batches[self.next - 1], {"next": self.next})
        if self.error is not None:
            raise self.error
        return SourceBatch(None, {"next": self.next}, finished=self.bounded)

    def seek(self, position: Position) -> None:
        at = position["next"]
        assert isinstance(at, int)
        self.next = at

    def counters(self) -> Mapping[str, int]:
        return {"ignored_rows": 2}

    def close(self) -> None:
        self.closed = True


def job(
    *roots: Sink,
    collector: Collector,
    clock: ManualClock | None = None,
    sources: Mapping[str, ListSource] | None = None,
    **options: str,
) -> Job:
    """A job of one collector; options with ``_`` for ``.`` and ``-``."""
    known = {"parallelism": "parallelism.default", "rows": "sameriver.batch.rows"}
    config = Config({known.get(key, key): value for key, value in options.items()})
    found = sources or {}
    return Job(
        roots,
        config,
        clock=clock or ManualClock(),
        sources=lambda scan: found[scan.table.name],
        sinks=lambda _: collector,
    )


def kinds(*values: int) -> pl.Series:
    return pl.Series(values, dtype=KINDS)
