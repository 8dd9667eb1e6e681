"""Filters and projects a batch: at most one filter and one projection."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

import polars as pl

from sameriver.common.changes import Changes, Event, keep
from sameriver.common.dataclass import dataclass
from sameriver.common.frames import picked
from sameriver.common.types import BOOLEAN
from sameriver.operators.blame import blaming
from sameriver.operators.compile import compile_expression, may_fail, uses_clock, with_clock
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.shared import may_recur, with_columns
from sameriver.operators.texts import Texts, searches
from sameriver.plan.expressions import Call, Column, Expression
from sameriver.plan.physical.calc import Calc

_MASK = "$keep"


@dataclass(frozen=True, slots=True)
class _Work:
    """A filter, if there is one, and a projection, ready to run.

    Attributes:
        tests_once, projects_once: whether parts of them recur.
        kept: columns that the projection reads: filtering others would be for nothing.
    """

    condition: pl.Expr | None
    tests_once: bool
    columns: Sequence[pl.Expr]
    projects_once: bool
    kept: frozenset[str]


class CalcOperator(Operator):
    """Filters keep change kinds: over updates they work change by change, as in Flink.

    The parts of a condition that are told easily come first: what searches texts, or may fail,
    then sees the rows that are left.
    """

    splits = True

    def __init__(self, node: Calc, context: OperatorContext) -> None:
        super().__init__(context)
        self._types = node.schema.to_polars()
        self._names = list(node.schema.names)
        self._identity = all(
            isinstance(column.expression, Column) and column.expression.name == column.name
            for column in node.columns
        )
        self._projected = [column.expression for column in node.columns]
        self._condition = node.condition
        lead, self._rest = _split(node.condition)
        self._lead = None if lead is None else self._compile(lead).alias(_MASK)
        tested = [] if self._rest is None else [self._rest]
        self._rest_searches = self._rest is not None and searches(self._rest)
        self._texts = Texts([*tested, *self._projected], context.zone)
        self._works: dict[tuple[Expression | None, frozenset[str]], _Work] = {}
        plain = self._work(self._rest, frozenset())
        self._kept = plain.kept | _roots([] if plain.condition is None else [plain.condition])
        every = [*self._projected, *([] if node.condition is None else [node.condition])]
        self._uses_clock = any(map(uses_clock, every))

    def process(self, port: int, changes: Changes) -> Iterator[Event]:
        if self._uses_clock:
            now = self.context.clock.now()
            changes = changes.with_rows(with_clock(changes.rows, now, self._before(changes)))
        if self._lead is None:
            yield from self._run(changes, self._rest)
            return
        mask = with_columns(changes.rows, [self._lead], [_MASK], once=False).get_column(_MASK)
        if self._rest is not None and not self._leads(mask):
            yield from self._run(changes, self._condition)
            return
        for event in keep(changes.with_rows(_picked(changes.rows, self._kept)), mask):
            yield from self._run(event, self._rest) if isinstance(event, Changes) else [event]

    def _leads(self, mask: pl.Series) -> bool:
        """Whether the rows that ``mask`` drops are dropped before the rest is asked.

        What is unknown decides nothing: the rest is asked of such rows too, and may fail.
        """
        few = 2 * (mask.sum() or 0) < len(mask)
        return not mask.null_count() and (few or self._rest_searches)

    def _run(self, changes: Changes, condition: Expression | None) -> Iterator[Event]:
        rows, found = self._texts.add(changes.rows)
        work = self._work(condition, found)
        if condition is None or work.condition is None:
            yield changes.with_rows(self._project(rows, work))
            return
        with blaming(rows, [condition], self.context.zone):
            tested = with_columns(rows, [work.condition], [_MASK], once=work.tests_once)
        kept = _picked(rows, work.kept)
        for event in keep(changes.with_rows(kept), tested.get_column(_MASK)):
            if isinstance(event, Changes):
                yield event.with_rows(self._project(event.rows, work))
            else:
                yield event

    def _project(self, rows: pl.DataFrame, work: _Work) -> pl.DataFrame:
        if self._identity:
            return picked(rows, self._names)
        # with_columns repeats literals for each row, also where no other column is selected.
        with blaming(rows, self._projected, self.context.zone):
            return with_columns(rows, work.columns, self._names, once=work.projects_once)

    def _before(self, changes: Changes) -> int | pl.Series:
        """The watermark in force at each row; that of the column is in force after it."""
        if changes.watermarks is None:
            return self.watermark
        return changes.watermarks.shift(1, fill_value=self.watermark)

    # What is compiled.

    def _work(self, condition: Expression | None, found: frozenset[str]) -> _Work:
        """The same with what ``Texts`` has found of these columns."""
        known = self._works.get((condition, found))
        if known is None:
            known = self._works[condition, found] = self._compiled(condition, found)
        return known

    def _compiled(self, condition: Expression | None, found: frozenset[str]) -> _Work:
        projected = [self._texts.replaced(one, found) for one in self._projected]
        tested = [] if condition is None else [self._texts.replaced(condition, found)]
        columns = [
            self._compile(expression).cast(self._types[name]).alias(name)
            for expression, name in zip(projected, self._names, strict=True)
        ]
        # A failure is told over the columns of the script.
        plain = self._work(condition, frozenset()).kept if found else frozenset()
        return _Work(
            condition=self._compile(tested[0]).alias(_MASK) if tested else None,
            tests_once=may_recur(tested),
            columns=columns,
            projects_once=may_recur(projected),
            kept=_roots(columns) | plain,
        )

    def _compile(self, expression: Expression) -> pl.Expr:
        return compile_expression(expression, self.context.zone)


def _roots(columns: Sequence[pl.Expr]) -> frozenset[str]:
    return frozenset(name for column in columns for name in column.meta.root_names())


def _picked(rows: pl.DataFrame, names: Collection[str]) -> pl.DataFrame:
    """The columns of these names; all if there would be none, for their number of rows."""
    found = [name for name in rows.columns if name in names]
    return picked(rows, found) if found else rows


def _split(condition: Expression | None) -> tuple[Expression | None, Expression | None]:
    """The conjuncts up to the first that searches texts or may fail, and the others."""
    if condition is None:
        return None, None
    parts = _conjuncts(condition)
    lead = list(takewhile(lambda part: not (searches(part) or may_fail(part)), parts))
    return _all_of(lead), _all_of(parts[len(lead) :])


def _conjuncts(condition: Expression) -> list[Expression]:
    if isinstance(condition, Call) and condition.function == "AND":
        return [part for arg in condition.args for part in _conjuncts(arg)]
    return [condition]


def _all_of(parts: Sequence[Expression]) -> Expression | None:
    if not parts:
        return None
    first, *others = parts
    for part in others:
        first = Call("AND", (first, part), BOOLEAN)
    return first
