"""Finds what failed a job: the part of an expression, its place in the script, and the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from zoneinfo import ZoneInfo

import polars as pl
from polars.exceptions import PanicException

from sameriver.common.errors import ExternalError, Position
from sameriver.functions.failure import EvaluationError, message_of
from sameriver.operators.compile import parts
from sameriver.plan.expressions import Call, Expression, columns, place, to_sql

_KINDS = (EvaluationError, pl.exceptions.PolarsError)
_ROWS = 3
"""Most rows that are told."""
_TEXT = 80
"""Most characters of a value or an expression that are told."""


@contextmanager
def blaming(
    rows: pl.DataFrame, expressions: Sequence[Expression], zone: ZoneInfo
) -> Iterator[None]:
    """Says of what fails within which part of ``expressions`` it was, and for which rows.

    Costs nothing before: the parts are computed again, one by one, after a failure.

    Args:
        rows: what the expressions are computed over.
        expressions: as the plan has them, in the order in which they are computed.
        zone: of the session.

    Raises:
        ExternalError: CAST_FAILED, DIVISION_BY_ZERO, EVALUATION_FAILED, ...
    """
    try:
        yield
    except PanicException as error:
        raise _unfound(error, expressions) from error
    except _KINDS as error:
        for expression in expressions:
            for call, part in parts(expression, zone):
                if _failure(rows, part) is not None:
                    raise _told(error, rows, call, part, place(expression)) from None
        raise _unfound(error, expressions) from error


def _failure(rows: pl.DataFrame, part: pl.Expr) -> BaseException | None:
    try:
        rows.with_columns(part.alias("$part"))
    except _KINDS as error:
        return error
    return None


def _unfound(error: BaseException, expressions: Sequence[Expression]) -> ExternalError:
    """For what can't be tried again, or does not fail again, as random numbers may."""
    found = next((at for e in expressions if (at := place(e)) is not None), None)
    code, message = message_of(error)
    return ExternalError(code, message, position=found if len(expressions) == 1 else None)


def _told(
    error: BaseException, rows: pl.DataFrame, call: Call, part: pl.Expr, around: Position | None
) -> ExternalError:
    bad = _bad_rows(rows, call, part)
    code, message = message_of(_failure(bad[:1], part) or error)
    return ExternalError(
        code,
        f"{message}{_within(call)}",
        hint=f"{rows_text(bad, columns(call))}{_way_out(code, call)}",
        position=place(call) or around,
    )


def _bad_rows(rows: pl.DataFrame, call: Call, part: pl.Expr) -> pl.DataFrame:
    """The first rows that fail; one will do for what calls the user's code."""
    most = 1 if call.definition is not None else _ROWS
    found: list[pl.DataFrame] = []
    while len(found) < most and rows.height and _failure(rows, part) is not None:
        low, high = 0, rows.height - 1
        while low < high:
            middle = (low + high) // 2
            if _failure(rows[low : middle + 1], part) is None:
                low = middle + 1
            else:
                high = middle
        found.append(rows[low : low + 1])
        rows = rows[low + 1 :]
    return pl.concat(found) if found else rows.clear()


def _within(call: Call) -> str:
    """``, in 'a / b'``; not of calls that no script says."""
    hidden = any(name.startswith("$") for name in columns(call))
    return "" if hidden else f", in '{_cut(to_sql(call))}'"


def rows_text(rows: pl.DataFrame, read: Collection[str]) -> str:
    """Tells rows, of what a script can name: ``Rows: a = 1, b = 0; a = 2, b = 0.`` and a space."""
    names = [name for name in rows.columns if name in read and not name.startswith("$")]
    if not names or not rows.height:
        return ""
    texts = (
        ", ".join(f"{name} = {_value(value)}" for name, value in zip(names, row, strict=True))
        for row in rows[:_ROWS].select(names).iter_rows()
    )
    return f"{'Row' if rows.height == 1 else 'Rows'}: {'; '.join(texts)}. "


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    return _cut(f"'{value}'" if isinstance(value, str) else str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 3] + "..."


def _way_out(code: str, call: Call) -> str:
    shown = [_cut(to_sql(arg)) for arg in call.args]
    match code:
        case "DIVISION_BY_ZERO" if len(shown) == 2:
            return f"Divide by NULLIF({shown[1]}, 0) for NULL instead."
        case "CAST_FAILED":
            return f"TRY_CAST({shown[0]} AS {call.type.name}) gives NULL instead."
        case "BAD_INDEX":
            return "The first element is [1]."
        case "MORE_THAN_ONE_ROW":
            return "Aggregate in the query, such as MAX(...), or add LIMIT 1."
    if call.definition is not None:
        return "Mend the function, or filter such rows out."
    return "Filter such rows out, or compute it only where it can be: CASE WHEN ... THEN ... END."
