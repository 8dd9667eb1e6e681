"""Runs a join of two streams by itself, cut into batches, shards and restarts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

import polars as pl
from hypothesis import strategies as st

from sameriver.common.changes import KINDS, MAX_WATERMARK, ChangeKind, Changes, Event
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, BOOLEAN, ROWTIME, STRING, timestamp
from sameriver.engine.events import keys_of
from sameriver.engine.snapshot import merge_tables, split_tables
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.expressions import Call, Column, Expression
from sameriver.plan.physical.node import ALL_KINDS, INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.timed_join import JoinKeys
from sameriver.plan.table import Table

Out = tuple[object, ...]
KEYS = JoinKeys(left=("lk",), right=("rk",), null_safe=(False,))
DIFFER = Call("<>", (Column("lv", BIGINT), Column("rv", BIGINT)), BOOLEAN)


def side(name: str, *, kinds: frozenset[ChangeKind] = INSERT_ONLY, windowed: bool = False) -> Scan:
    """A table with a key, a value and a time; ``windowed``: with the start and end of a window."""
    columns = [(f"{name}k", STRING), (f"{name}v", BIGINT), (f"{name}t", ROWTIME)]
    if windowed:
        columns[2:] = [(f"{name}s", timestamp(3).not_null), (f"{name}e", timestamp(3).not_null)]
    schema = Schema.of(columns)
    table = Table(name=name, schema=schema, physical=schema.fields, options={"connector": "case"})
    return Scan(table=table, schema=schema, kinds=kinds)


def joined(left: Scan, right: Scan | None) -> Schema:
    """All columns of both, nullable."""
    fields = (*left.schema, *(right.schema if right is not None else ()))
    return Schema.of([(f.name, f.type.with_nullable(True)) for f in fields])


@dataclass(frozen=True)
class Row:
    """A row of the left (0) or right (1) side; times in ms."""

    port: int
    key: str | None
    value: int
    time: int
    kind: int = 0


@dataclass(frozen=True)
class Move:
    """The watermark moves."""

    time: int


Step = Row | Move


@st.composite
def streams(draw: st.DrawFn, *, right_kinds: Sequence[int] = (0,), length: int = 25) -> list[Step]:
    """Rows of two sides around a rising watermark, some late; the end comes last."""
    watermark = 0
    steps: list[Step] = []
    for _ in range(draw(st.integers(0, length))):
        if draw(st.integers(0, 3)) == 0:
            watermark += draw(st.integers(1, 8))
            steps.append(Move(watermark))
            continue
        port = draw(st.integers(0, 1))
        key = draw(st.sampled_from(["a", "a", "b", None]))
        time = max(0, watermark + draw(st.integers(-6, 12)))
        kind = draw(st.sampled_from(list(right_kinds))) if port else 0
        steps.append(Row(port, key, draw(st.integers(0, 2)), time, kind))
    return [*steps, Move(MAX_WATERMARK)]


@dataclass
class Bench:
    """The shards of a node; ``out`` counts what they gave, kind first."""

    node: PhysicalNode
    build: Callable[..., Operator]
    frame: Callable[[PhysicalNode, Sequence[Row]], pl.DataFrame]
    shards: int = 1
    out: Counter[Out] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)
    order: list[Out] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        self.operators = [self._make() for _ in range(self.shards)]

    def _make(self) -> Operator:
        context = OperatorContext(clock=self.clock, config=Config({}), zone=ZoneInfo("UTC"))
        context.counters = self.late
        return self.build(self.node, context)

    def run(self, steps: Iterable[Step], *, batch: int, restart: int | None = None) -> None:
        """Rows of one side in a row go together, ``batch`` at most."""
        together: list[Row] = []
        for number, step in enumerate(steps):
            full = len(together) == batch
            if together and (isinstance(step, Move) or full or step.port != together[0].port):
                self.feed(together)
                together = []
            if number == restart:
                self.restart()
            if isinstance(step, Move):
                self.move(step.time)
            else:
                together.append(step)

    def feed(self, rows: Sequence[Row]) -> None:
        port = rows[0].port
        frame = self.frame(self.node.inputs[port], rows)
        kinds = pl.Series([row.kind for row in rows], dtype=KINDS)
        changes = Changes(frame, kinds if kinds.max() else None)
        distribution = self.node.distribution
        assert distribution is not None
        keys = keys_of(frame, distribution[port])
        for shard, operator in enumerate(self.operators):
            part = changes.gather(keys.rows(shard, len(self.operators)))
            if len(part):
                self.take(operator.process(port, part))

    def move(self, time: int) -> None:
        for operator in self.operators:
            if time > operator.watermark:
                operator.watermark = time
                self.take(operator.on_watermark())

    def restart(self) -> None:
        """Saves the state and goes on from it in another number of shards."""
        tables = merge_tables([o.context.store.snapshot() for o in self.operators])
        for table in self.node.state():
            declared = Schema.of([(c.name, c.type) for c in table.columns]).to_polars()
            assert tables[table.name].schema == declared
        watermark = self.operators[0].watermark
        self.operators = [self._make() for _ in range(3 if len(self.operators) == 1 else 1)]
        shares = split_tables(tables, self.node, len(self.operators))
        for operator, share in zip(self.operators, shares, strict=True):
            operator.context.store.restore(share)
            operator.watermark = watermark
            operator.restored()

    def take(self, events: Iterable[Event]) -> None:
        for event in events:
            assert isinstance(event, Changes)
            assert dict(event.rows.schema) == dict(self.node.schema.to_polars())
            kinds = event.kinds_or_inserts().to_list()
            rows = plain(event.rows).rows()
            self.order += [(kind, *row) for kind, row in zip(kinds, rows, strict=True)]
        self.out = Counter(self.order)

    def held(self) -> int:
        """Rows in state."""
        tables = [o.context.store.snapshot() for o in self.operators]
        return sum(rows.height for table in tables for rows in table.values())


def plain(rows: pl.DataFrame) -> pl.DataFrame:
    """Times as numbers."""
    return rows.with_columns(pl.col(pl.Datetime).dt.timestamp("ms"))


def timed_frame(node: PhysicalNode, rows: Sequence[Row]) -> pl.DataFrame:
    """Rows of a side with a time column."""
    data = [(row.key, row.value, row.time) for row in rows]
    names = node.schema.names
    schema = {names[0]: pl.String, names[1]: pl.Int64, names[2]: pl.Int64}
    frame = pl.DataFrame(data, schema=schema, orient="row")
    return frame.with_columns(pl.col(names[2]).cast(pl.Datetime("ms")))


def meets(one: Row, other: Row, condition: Expression | None) -> bool:
    """Whether keys are equal and the condition, ``DIFFER`` or none, holds."""
    same = one.key is not None and one.key == other.key
    return same and (condition is None or one.value != other.value)


UPDATING = ALL_KINDS
