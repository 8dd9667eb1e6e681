"""Parts of expressions that occur more than once are computed once a batch."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sameriver.common.frames import FEW, picked
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import Call, Expression, walk

_AS_WRITTEN = pl.QueryOptFlags.none()
_ONCE = pl.QueryOptFlags.none(comm_subexpr_elim=True)


def may_recur(expressions: Sequence[Expression]) -> bool:
    """Whether calls may have parts in common, and computing those once is the same.

    The parts are Polars' own: ``SPLIT_INDEX(a, '/', 1)`` and ``SPLIT_INDEX(a, '/', 2)`` both split.
    """
    calls = [part for one in expressions for part in walk(one) if isinstance(part, Call)]
    return len(calls) > 1 and all(map(deterministic, expressions))


def with_columns(
    rows: pl.DataFrame, columns: Sequence[pl.Expr], names: Sequence[str], *, once: bool
) -> pl.DataFrame:
    """``names`` of the rows and these columns, as long as ``rows`` also if all are constants.

    With ``once`` equal parts of the columns are computed once; of few rows it wouldn't pay.
    """
    if rows.height <= FEW:
        return picked(rows.with_columns_seq(columns), names)
    query = rows.lazy().with_columns(columns).select(names)
    return query.collect(optimizations=_ONCE if once else _AS_WRITTEN)
