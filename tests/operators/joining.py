"""Builds regular joins over made-up input, and a plain model of what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from datetime import timedelta
from zoneinfo import ZoneInfo

from grouping import Change, Row, Source, batch

from sameriver.common.changes import SYMBOLS, ChangeKind, Changes
from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.operators.join import JoinOperator
from sameriver.operators.operator import OperatorContext
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import ALL_KINDS, INSERT_ONLY, ChangelogMode

FILTERS = (JoinKind.SEMI, JoinKind.ANTI)
ADDS = ("+I", "+U")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream(Source):
    """Rows of a table, with updates or without."""

    kinds: ChangelogMode

    @property
    def changelog(self) -> ChangelogMode:
        return self.kinds


def join_node(
    left: Schema,
    right: Schema,
    kind: JoinKind,
    keys: Sequence[tuple[str, str, bool]],
    *,
    condition: Expression | None = None,
    updates: bool = True,
    null_aware: bool = False,
    upsert_keys: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    ttl: tuple[timedelta | None, timedelta | None] = (None, None),
) -> Join:
    """A join of two sources; ``keys``: left column, right column, whether NULL meets NULL."""
    fields = [(f.name, f.type.with_nullable(True)) for f in left]
    if kind not in FILTERS:
        fields += [(f.name, f.type.with_nullable(True)) for f in right]
    changelog = ALL_KINDS if updates else INSERT_ONLY
    return Join(
        schema=Schema.of(fields),
        left=Stream(schema=left, kinds=changelog),
        right=Stream(schema=right, kinds=changelog),
        kind=kind,
        left_keys=tuple(key[0] for key in keys),
        right_keys=tuple(key[1] for key in keys),
        null_safe=tuple(key[2] for key in keys),
        condition=condition,
        null_aware=null_aware,
        upsert_keys=upsert_keys,
        ttl=ttl,
    )


class Joining:
    """An operator that can be fed, stopped and restored."""

    def __init__(self, plan: Join) -> None:
        self.plan = plan
        self.clock = ManualClock(1)
        self._start()

    def _start(self) -> None:
        self.context = OperatorContext(clock=self.clock, config=Config(), zone=ZoneInfo("UTC"))
        self.operator = JoinOperator(self.plan, self.context)

    def feed(self, port: int, changes: Iterable[Change]) -> list[Change]:
        """Gives one batch; the changes that come out."""
        out: list[Change] = []
        for event in self.operator.process(port, batch(self.plan.inputs[port].schema, changes)):
            assert isinstance(event, Changes)
            assert event.rows.schema == self.plan.schema.to_polars()
            kinds = [SYMBOLS[kind] for kind in event.kinds_or_inserts()]
            assert {ChangeKind(SYMBOLS.index(kind)) for kind in kinds} <= self.plan.changelog
            out.extend(zip(kinds, event.rows.rows(), strict=True))
        return out

    def restart(self) -> None:
        """Saves, and starts again from what was saved."""
        saved = self.context.store.snapshot()
        for table in self.plan.state():
            assert saved[table.name].columns == [column.name for column in table.columns]
        self._start()
        self.context.store.restore(saved)

    def stored(self) -> int:
        """Rows in state."""
        return sum(rows.height for rows in self.context.store.snapshot().values())


@dataclass(slots=True)
class Kept:
    """A stored row, and how many rows of the other side it meets."""

    row: Row
    matches: int


@dataclass(slots=True)
class Model:
    """The join row by row over lists. ``meets`` tells whether two rows do."""

    kind: JoinKind
    meets: Callable[[Row, Row], bool]
    widths: tuple[int, int]
    sides: tuple[list[Kept], list[Kept]] = field(default_factory=lambda: ([], []))

    def feed(self, port: int, changes: Iterable[Change]) -> list[Change]:
        rule = self._filter if self.kind in FILTERS else self._join
        return [change for kind, row in changes for change in rule(port, kind, row)]

    def _met(self, port: int, row: Row) -> list[Kept]:
        pair = self.meets if port == 0 else lambda a, b: self.meets(b, a)
        return [kept for kept in self.sides[1 - port] if pair(row, kept.row)]

    def _store(self, port: int, kind: str, row: Row, matches: int) -> None:
        side = self.sides[port]
        if kind in ADDS:
            side.append(Kept(row, matches))
            return
        found = next((i for i, kept in enumerate(side) if kept.row == row), None)
        if found is not None:
            del side[found]

    def _out(self, port: int, kind: str, own: Row | None, other: Row | None) -> Change:
        left, right = (own, other) if port == 0 else (other, own)
        left = left or (None,) * self.widths[0]
        return kind, (*left, *(right or (None,) * self.widths[1]))

    def _outer(self, port: int) -> bool:
        return self.kind is JoinKind.FULL or self.kind is (JoinKind.LEFT, JoinKind.RIGHT)[port]

    def _join(self, port: int, kind: str, row: Row) -> list[Change]:
        met = self._met(port, row)
        own, other, adds = self._outer(port), self._outer(1 - port), kind in ADDS
        out: list[Change] = []
        if other and adds:
            for kept in met:
                if kept.matches == 0:
                    out.append(self._out(port, "-D", None, kept.row))
                kept.matches += 1
        shown = ("+I" if adds else "-D") if own or (other and adds) else kind
        out += [self._out(port, shown, row, kept.row) for kept in met]
        if own and not met:
            out.append(self._out(port, shown, row, None))
        if other and not adds:
            for kept in met:
                kept.matches -= 1
                if kept.matches == 0:
                    out.append(self._out(port, "+I", None, kept.row))
        self._store(port, kind, row, len(met))
        return out

    def _filter(self, port: int, kind: str, row: Row) -> list[Change]:
        met, anti, adds = self._met(port, row), self.kind is JoinKind.ANTI, kind in ADDS
        out: list[Change] = []
        if port == 0:
            if bool(met) is not anti:
                out.append((kind, row))
        else:
            shown = ("-D" if adds else "+I") if anti else kind
            for kept in met:
                kept.matches += 1 if adds else -1
                if kept.matches == (1 if adds else 0):
                    out.append((shown, kept.row))
        self._store(port, kind, row, len(met))
        return out
