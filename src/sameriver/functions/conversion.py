"""CAST and TRY_CAST as functions; where they go to is the type of the call."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sameriver.functions.casts import cast
from sameriver.functions.forms import ANY, fit
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction


def _same(operands: Sequence[Operand]) -> Resolved:
    (type,) = fit("CAST", [(ANY,)], operands)
    return Resolved((type,), type)


def _cast(evaluation: Evaluation, args: Sequence[pl.Expr], *, attempt: bool) -> pl.Expr:
    source = evaluation.operands[0].type
    return cast(args[0], source, evaluation.result, evaluation.zone, attempt=attempt)


CONVERSION = [
    ScalarFunction(
        name="CAST",
        infer=_same,
        kernel=lambda e, args: _cast(e, args, attempt=False),
        fallible=True,
    ),
    ScalarFunction(
        name="TRY_CAST", infer=_same, kernel=lambda e, args: _cast(e, args, attempt=True)
    ),
]
