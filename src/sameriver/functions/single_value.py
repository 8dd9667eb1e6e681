"""The value of a query that may give one row only."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sameriver.common.types import to_polars
from sameriver.functions.failure import fail_where
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction


def _infer(operands: Sequence[Operand]) -> Resolved:
    rows, value = (operand.type for operand in operands)
    return Resolved((rows, value), value)


def _kernel(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """Fails where there are several rows, and the value is asked for."""
    rows, value, asked = args
    return fail_where(
        (rows > 1) & asked,
        value,
        rows,
        to_polars(evaluation.result),
        "MORE_THAN_ONE_ROW",
        lambda count: f"a query that stands for a value gave {count} rows",
    )


SINGLE_VALUE = ScalarFunction(name="SINGLE_VALUE", infer=_infer, kernel=_kernel, fallible=True)
"""Takes a number of rows and a value; not to be called by name."""
