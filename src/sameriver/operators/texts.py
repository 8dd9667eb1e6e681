"""Calls that read nothing but one column of text, computed once for each text of a batch.

Names, addresses and kinds repeat: searching each text once and then looking results up by its
number is several times as fast as searching in each row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from polars.exceptions import PanicException

from sameriver.common.dataclass import dataclass
from sameriver.common.types import CHARACTERS
from sameriver.functions.failure import EvaluationError
from sameriver.operators.compile import compile_expression
from sameriver.operators.shared import with_columns
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Call, Column, Expression, columns, transform, walk
from sameriver.state.index import SEEDS, Lookup

_QUICK = frozenset(
    {
        "=", "<>", "<", ">", "<=", ">=", "IN", "LIKE", "IS NULL", "IS NOT NULL", "CHAR_LENGTH",
        "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "CASE", "IF", "COALESCE", "IFNULL", "NULLIF",
    }
)  # fmt: skip
"""What takes no longer than telling which texts are equal."""
_FEW = 1 << 13
"""Rows from which it pays."""
_SAMPLE = 1 << 12
_OFTEN = 4
"""How often a text must come on average."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Calls that read one column, and the names of the columns that hold what they give."""

    calls: Mapping[Call, Column]
    compiled: Sequence[pl.Expr]


class Texts:
    """The slow calls on single columns of text within the expressions of an operator.

    What a call under CASE is not asked for is computed as well; where that fails, the column's
    calls are left where they stand from then on.
    """

    def __init__(self, expressions: Sequence[Expression], zone: ZoneInfo) -> None:
        found: dict[str, dict[Call, Column]] = {}
        for expression in expressions:
            _gather(expression, found)
        self._groups = {
            name: _Group(
                calls,
                [compile_expression(call, zone).alias(to.name) for call, to in calls.items()],
            )
            for name, calls in found.items()
        }

    def add(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, frozenset[str]]:
        """The rows with what the calls give; and the columns whose calls were computed."""
        done = []
        for name, group in list(self._groups.items()):
            texts = rows.get_column(name)
            told = numbered(texts) if repeats(texts) else None
            if told is None:
                continue
            numbers, distinct = told
            names = [column.name for column in group.calls.values()]
            try:
                given = with_columns(distinct.to_frame(), group.compiled, names, once=True)
            except (EvaluationError, pl.exceptions.PolarsError, PanicException):
                del self._groups[name]
                continue
            rows = rows.with_columns(given.select(pl.all().gather(numbers)))
            done.append(name)
        return rows, frozenset(done)

    def replaced(self, expression: Expression, done: Collection[str]) -> Expression:
        """The expression over what ``add`` gave of these columns."""
        known = {call: to for name in done for call, to in self._groups[name].calls.items()}
        return transform(expression, lambda e: known.get(e) if isinstance(e, Call) else None)


def repeats(texts: pl.Series) -> bool:
    """Whether texts come often, as far as some of the rows tell."""
    if len(texts) < _FEW:
        return False
    counts = texts.gather_every(len(texts) // _SAMPLE).value_counts().get_column("count")
    once, twice = ((counts == often).arg_true().len() for often in (1, 2))
    # Chao's estimate of how many there are, from how many of a sample came once and twice.
    return (len(counts) + once * once / (2 * max(twice, 1))) * _OFTEN <= len(texts)


def numbered(texts: pl.Series) -> tuple[pl.Series, pl.Series] | None:
    """The number of each row's text, and the texts by their numbers; NULL is one of them.

    None if two texts have the same hash.
    """
    numbers = Lookup(1).find_or_insert((texts.hash(SEEDS[0]).to_numpy().view(np.int64),))
    first = np.zeros(int(numbers.max()) + 1, np.int64)
    first[numbers] = np.arange(len(numbers))
    distinct, numbering = texts.gather(first), pl.Series(numbers, dtype=pl.UInt32)
    equal = distinct.gather(numbering).eq_missing(texts)
    return (numbering, distinct) if equal.all() else None


def searches(expression: Expression) -> bool:
    """Whether there are such calls in it."""
    found: dict[str, dict[Call, Column]] = {}
    _gather(expression, found)
    return bool(found)


def _gather(expression: Expression, found: dict[str, dict[Call, Column]]) -> None:
    """Finds the outermost calls of such a kind."""
    name = _only_text(expression) if isinstance(expression, Call) else None
    if isinstance(expression, Call) and name is not None:
        calls = found.setdefault(name, {})
        calls.setdefault(expression, Column(f"$text.{name}.{len(calls)}", expression.type))
    elif isinstance(expression, Call):
        for arg in expression.args:
            _gather(arg, found)


def _only_text(call: Call) -> str | None:
    """The column of text that a call reads and searches; None if it reads others or is quick."""
    read = columns(call)
    if len(read) != 1 or not deterministic(call):
        return None
    parts = list(walk(call))
    fine = all(
        part.type.root in CHARACTERS if isinstance(part, Column) else _built_in(part)
        for part in parts
    )
    slow = any(isinstance(part, Call) and part.function not in _QUICK for part in parts)
    return next(iter(read)) if fine and slow else None


def _built_in(part: Expression) -> bool:
    return not isinstance(part, Call) or part.definition is None
