"""Values that fail the job: division by zero, text that is no number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import polars as pl
from polars.exceptions import PanicException

from sameriver.common.errors import ExternalError

_TEXT = re.compile(r"\[([A-Z][A-Z0-9_]*)\] (.*)", re.DOTALL)
Dtype = pl.DataType | type[pl.DataType]
_CONTEXT = "\n\nThis error occurred"


class EvaluationError(ExternalError):
    """A value on which an expression fails.

    Polars re-creates an error that passes through it from its text alone, so the text carries
    the code.
    """

    def __init__(self, text: str) -> None:
        match = _TEXT.match(text.split(_CONTEXT)[0])
        code, message = match.groups() if match else ("EVALUATION_FAILED", text)
        super().__init__(code, message)


def failure(code: str, message: str) -> EvaluationError:
    return EvaluationError(f"[{code}] {message}")


def message_of(error: BaseException) -> tuple[str, str]:
    """Code and message of what was raised while an expression was computed."""
    if isinstance(error, EvaluationError):
        return error.code, error.message
    text = str(error).split(_CONTEXT)[0]
    match = _TEXT.search(text)
    if match is not None:
        return match[1], match[2]
    return "EVALUATION_FAILED", f"a row can't be computed: {text}"


@contextmanager
def evaluating(
    what: str, hint: str = "", *, also: tuple[type[BaseException], ...] = ()
) -> Iterator[None]:
    """Tells what Polars can't compute as an error of the job.

    Args:
        what: names the place, such as an operator.
        hint: what it computes, or a way out.
        also: what else may be raised on values.

    Raises:
        ExternalError: EVALUATION_FAILED.
    """
    kinds: tuple[type[BaseException], ...] = (pl.exceptions.PolarsError, PanicException, *also)
    try:
        yield
    except kinds as error:
        text = str(error).split(_CONTEXT)[0]
        message = f"{what} cannot compute a row: {text}"
        raise ExternalError("EVALUATION_FAILED", message, hint=hint) from error


def fail_where(
    bad: pl.Expr,
    value: pl.Expr,
    shown: pl.Expr,
    dtype: Dtype,
    code: str,
    message: Callable[[object], str],
) -> pl.Expr:
    """``value``, of ``dtype``, or an error that tells the first of ``shown`` where ``bad`` is true.

    Raises:
        EvaluationError: when evaluated.
    """

    def check(series: Sequence[pl.Series]) -> pl.Series:
        result, flags, texts = series
        if flags.any():
            position = flags.arg_max() or 0
            raise failure(code, message(texts[position if len(texts) > 1 else 0]))
        return result

    return pl.map_batches([value, bad, shown], check, return_dtype=dtype)


def fail_if_null(
    value: pl.Expr, source: pl.Expr, dtype: Dtype, code: str, message: Callable[[object], str]
) -> pl.Expr:
    """``value``, of ``dtype``; NULL where ``source`` is not is an error.

    Raises:
        EvaluationError: when evaluated.
    """

    def check(series: Sequence[pl.Series]) -> pl.Series:
        result, given = series
        if result.null_count() != given.null_count():
            bad = result.is_null() & given.is_not_null()
            if bad.any():
                raise failure(code, message(given.filter(bad)[0]))
        return result

    return pl.map_batches([value, source], check, return_dtype=dtype)
