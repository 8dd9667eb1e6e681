"""Runs a window operator by itself, and says row by row what it should give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import KINDS, MAX_WATERMARK, MIN_WATERMARK, Changes, Event, Watermark
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import (
    BIGINT,
    PROCTIME,
    ROWTIME,
    ROWTIME_LTZ,
    STRING,
    DataType,
    timestamp,
)
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.plan.expressions import AggregateCall, Column
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.table import Table
from sameriver.plan.window import Window, WindowKind, WindowProperty

TYPES = {"plain": ROWTIME, "zoned": ROWTIME_LTZ, "clock": PROCTIME}
CALLS = (
    AggregateCall(name="n", function="COUNT", args=(), type=BIGINT.not_null),
    AggregateCall(name="s", function="SUM", args=(Column("v", BIGINT),), type=BIGINT),
    AggregateCall(
        name="d", function="COUNT", args=(Column("v", BIGINT),), distinct=True, type=BIGINT.not_null
    ),
)
PROPERTIES = (("ws", WindowProperty.START), ("we", WindowProperty.END))


def source(type: DataType = ROWTIME) -> Scan:
    """A table with a key, a value and an event time."""
    schema = Schema.of((("k", STRING), ("v", BIGINT), ("ts", type)))
    table = Table(name="t", schema=schema, physical=schema.fields, options={"connector": "case"})
    return Scan(table=table, schema=schema)


def output_schema(keys: Sequence[str], calls: Sequence[AggregateCall] = CALLS) -> Schema:
    """Keys, calls, start and end."""
    end = timestamp(3).not_null
    pairs = [(key, STRING) for key in keys] + [(call.name, call.type) for call in calls]
    return Schema.of([*pairs, ("ws", end), ("we", end)])


@dataclass(frozen=True)
class Row:
    """An input row; ``watermark`` is in force after it."""

    time: int
    key: str | None
    value: int | None
    sign: int
    watermark: int


@dataclass
class Bench:
    """An operator with its context, fed with batches; collects what it gives.

    Attributes:
        given: (watermark in force, kind, row) of each output row.
    """

    node: PhysicalNode
    build: Callable[..., Operator]
    zone: str = "UTC"
    options: dict[str, str] = field(default_factory=dict)
    clock: ManualClock = field(default_factory=ManualClock)
    given: list[tuple[int, int, tuple[object, ...]]] = field(default_factory=list)
    late: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.operator = self._make()
        self._watermark = MIN_WATERMARK

    def _make(self) -> Operator:
        context = OperatorContext(
            clock=self.clock, config=Config(self.options), zone=ZoneInfo(self.zone)
        )
        context.counters = self.late
        return self.build(self.node, context)

    def feed(self, rows: Sequence[Row], *, on_event: bool = True, signed: bool = False) -> None:
        """One batch."""
        schema = self.node.inputs[0].schema.to_polars()
        times = pl.Series("ts", [row.time for row in rows], pl.Int64)
        if isinstance(schema["ts"], pl.Datetime) and schema["ts"].time_zone:
            times = times.cast(pl.Datetime("ms", "UTC"))
        frame = pl.DataFrame(
            {"k": [row.key for row in rows], "v": [row.value for row in rows], "ts": times},
            schema_overrides={"k": pl.String, "v": pl.Int64},
        ).with_columns(pl.col("ts").cast(schema["ts"]))
        kinds = pl.Series([0 if row.sign > 0 else 3 for row in rows], dtype=KINDS)
        after = pl.Series([row.watermark for row in rows], dtype=pl.Int64)
        changes = Changes(frame, kinds if signed else None, after if on_event else None)
        self._take(self.operator.process(0, changes))
        if on_event and len(rows):
            self.move(rows[-1].watermark)

    def move(self, watermark: int) -> None:
        """Moves the watermark, as the engine does."""
        if watermark > self.operator.watermark:
            self.operator.watermark = watermark
            self._take(self.operator.on_watermark())
        self._watermark = max(self._watermark, watermark)

    def finish(self) -> None:
        self.move(MAX_WATERMARK)

    def set_clock(self, now: int) -> None:
        """Moves the clock through every timer up to ``now``."""
        while (timer := self.operator.next_timer()) is not None and timer <= now:
            self.clock.set(max(timer, self.clock.now()))
            self._take(self.operator.on_timer())
        self.clock.set(now)

    def restart(self) -> None:
        """Saves the state, and goes on with a new operator."""
        saved = self.operator.context.store.snapshot()
        declared = {table.name: table for table in self.node.state()}
        assert set(saved) == set(declared)
        for name, rows in saved.items():
            expected = Schema.of((c.name, c.type) for c in declared[name].columns).to_polars()
            assert rows.schema == expected, name
        watermark = self.operator.watermark
        self.operator = self._make()
        self.operator.context.store.restore(saved)
        self.operator.watermark = watermark
        self.operator.restored()

    def held(self) -> int:
        """Rows of state."""
        return sum(rows.height for rows in self.operator.context.store.snapshot().values())

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Watermark):
                assert event.time >= self._watermark
                self._watermark = event.time
                continue
            assert event.rows.schema == self.node.schema.to_polars()
            kinds = event.kinds_or_inserts().to_list()
            after = event.watermarks.to_list() if event.watermarks is not None else None
            for number, row in enumerate(event.rows.rows()):
                self.given.append((self._watermark, kinds[number], _plain(row)))
                if after is not None:
                    assert after[number] >= self._watermark
                    self._watermark = after[number]

    def rows(self) -> list[tuple[object, ...]]:
        """Output rows without watermarks and kinds."""
        return [row for _, _, row in self.given]


def _plain(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(_ms(value) if isinstance(value, datetime) else value for value in row)


def _ms(value: datetime) -> int:
    """ms since 1970."""
    return (value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )


# What should come out.


def wall(instant: int, zone: str) -> int:
    """Wall time of an instant."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=instant)
    return _ms(moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None))


def is_over(end: int, watermark: int, zone: str) -> bool:
    """Whether all instants that show a wall time before ``end`` have passed."""
    if watermark in (MIN_WATERMARK, MAX_WATERMARK):
        return watermark == MAX_WATERMARK
    local = datetime(1970, 1, 1) + timedelta(milliseconds=end - 1)
    instants = [
        _ms(local.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)) for fold in (0, 1)
    ]
    if wall(instants[0], zone) == end - 1:
        return max(instants) <= watermark
    low, high = min(instants), max(instants)
    while high - low > 1:
        middle = (low + high) // 2
        if wall(middle, zone) < end:
            low = middle
        else:
            high = middle
    return high <= watermark


def windows_of(window: Window, time: int) -> list[tuple[int, int]]:
    """Start and end of each window that holds a wall time."""
    step = window.step or window.size
    if window.kind is WindowKind.CUMULATE:
        start = (time - window.offset) // window.size * window.size + window.offset
        return [
            (start, start + size)
            for size in range(step, window.size + 1, step)
            if time < start + size
        ]
    start = (time - window.offset) // step * step + window.offset
    found = []
    while start > time - window.size:
        found.append((start, start + window.size))
        start -= step
    return found


def results(contents: Sequence[Row]) -> tuple[int, int | None, int]:
    """COUNT(*), SUM(v), COUNT(DISTINCT v) of rows."""
    count = sum(row.sign for row in contents)
    values: Counter[int] = Counter()
    for row in contents:
        if row.value is not None:
            values[row.value] += row.sign
    live = {value: times for value, times in values.items() if times}
    known = sum(live.values()) > 0
    total = sum(value * times for value, times in live.items()) if known else None
    return count, total, len([value for value, times in live.items() if times > 0])


@dataclass
class Model:
    """Flink's rules, a row at a time."""

    window: Window
    zone: str = "UTC"
    lateness: int = 0
    updates: bool = False

    def run(self, rows: Sequence[Row]) -> tuple[list[tuple[int, int, tuple[object, ...]]], int]:
        """Output rows as in ``Bench.given``, and how many rows were late."""
        self.watermark, self.late = MIN_WATERMARK, 0
        self.given: list[tuple[int, int, tuple[object, ...]]] = []
        self.contents: dict[tuple[int, int, str | None], list[Row]] = {}
        self.shown: dict[tuple[int, int, str | None], tuple[object, ...]] = {}
        self.waiting: set[tuple[int, int, str | None]] = set()
        for row in rows:
            self._take(row)
            self._move(row.watermark)
        self._move(MAX_WATERMARK)
        return self.given, self.late

    def _over(self, end: int) -> bool:
        return is_over(end, self.watermark, self.zone)

    def _take(self, row: Row) -> None:
        time = wall(row.time, self.zone)
        if self.window.kind is WindowKind.SESSION:
            self._take_session(row, time)
            return
        windows = windows_of(self.window, time)
        kept = [w for w in windows if not self._over(w[1] + self.lateness)]
        self.late += bool(windows) and not kept
        for start, end in kept:
            key = (start, end, row.key)
            self.contents.setdefault(key, []).append(row)
            if self._over(end):
                self._show(key)
            else:
                self.waiting.add(key)

    def _take_session(self, row: Row, time: int) -> None:
        start, end = time, time + self.window.size
        touched = [k for k in self.waiting if k[2] == row.key and k[0] <= end and k[1] >= start]
        merged = (
            min([start, *(k[0] for k in touched)]),
            max([end, *(k[1] for k in touched)]),
            row.key,
        )
        if self._over(merged[1]):
            self.late += 1
            return
        rows = [r for k in touched for r in self.contents.pop(k)]
        self.waiting -= set(touched)
        self.waiting.add(merged)
        self.contents[merged] = [*rows, row]

    def _move(self, watermark: int) -> None:
        if watermark <= self.watermark:
            return
        before, self.watermark = self.watermark, watermark
        for key in sorted(self.waiting, key=lambda k: (k[1], k[0], k[2] or "")):
            if self._over(key[1]):
                self.waiting.discard(key)
                self._show(key, before)
                if not self.lateness:
                    del self.contents[key]

    def _show(self, key: tuple[int, int, str | None], watermark: int | None = None) -> None:
        watermark = self.watermark if watermark is None else watermark
        rows = self.contents[key]
        new, old = results(rows), self.shown.get(key)
        live = new[0] != 0
        if old is not None and live and old == new:
            return
        if old is not None:
            self._give(watermark, 1 if live else 3, key, old)
        if live:
            self._give(watermark, 0 if old is None else 2, key, new)
        if self.updates:
            self.shown.pop(key, None)
            if live:
                self.shown[key] = new

    def _give(
        self,
        watermark: int,
        kind: int,
        key: tuple[int, int, str | None],
        values: tuple[object, ...],
    ) -> None:
        self.given.append((watermark, kind, (key[2], *values, key[0], key[1])))


def ordered(given: Sequence[tuple[int, int, tuple[object, ...]]]) -> list[str]:
    """Rows in an order that forgets how keys lie between two watermarks."""
    return sorted(map(repr, given))
