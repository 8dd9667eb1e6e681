"""PERCENTILE as a function of all the values, which ARRAY_AGG collects."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from sameriver.common.types import BIGINT, DOUBLE, DataType, Root, array, row, to_polars
from sameriver.functions.failure import failure
from sameriver.functions.forms import FLOATING, LIST, LONG, Form, fit, infer, wrong_arguments
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_WEIGHTED = row((("value", DOUBLE), ("weight", BIGINT)))


def _weighted_type(operands: Sequence[Operand]) -> DataType:
    return DOUBLE if len(operands) == 1 else _WEIGHTED


def _weighted(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    if len(args) == 1:
        return args[0]
    return pl.struct(value=args[0], weight=args[1])


def _types(operands: Sequence[Operand]) -> Resolved:
    forms: tuple[Form, ...] = ((LIST, FLOATING), (LIST, LIST))
    values, share = fit("PERCENTILE", forms, operands)
    if share.root is Root.ARRAY:
        if share.children[0].root not in _NUMBERS:
            raise wrong_arguments("PERCENTILE", operands, forms)
        return Resolved((values, array(DOUBLE)), array(DOUBLE))
    return Resolved((values, DOUBLE), DOUBLE)


_NUMBERS = (Root.DOUBLE, Root.FLOAT, Root.DECIMAL, Root.INT)


def _percentile(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """Between the two nearest of the sorted values, by distance."""
    dtype = to_polars(evaluation.result)

    def run(series: Sequence[pl.Series]) -> pl.Series:
        lists, shares = series
        given = shares[0] if len(shares) else None
        frame = _sorted(lists).to_frame("values")
        if isinstance(given, pl.Series):
            places = [_at(share) for share in given]
            every = pl.concat_list(places) if places else pl.lit([], dtype=dtype)
            some = pl.col("values").list.len() > 0
            return frame.select(pl.when(some).then(every).cast(dtype)).to_series()
        return frame.select(_at(given).cast(dtype)).to_series()

    return pl.map_batches(list(args), run, return_dtype=dtype)


def _sorted(lists: pl.Series) -> pl.Series:
    """Values that are known, as often as their weights say, in order."""
    item = pl.element()
    if lists.dtype == pl.List(to_polars(_WEIGHTED)):
        value, weight = item.struct.field("value"), item.struct.field("weight")
        known = value.is_not_null() & (weight > 0)
        item = value.filter(known).repeat_by(weight.filter(known)).explode()
    return lists.to_frame("x").select(pl.col("x").list.eval(item.drop_nulls().sort())).to_series()


def _at(share: float | None) -> pl.Expr:
    """The value at a share of the way through the sorted values.

    Raises:
        EvaluationError: BAD_SHARE.
    """
    if share is None or not 0 <= share <= 1 or math.isnan(share):
        raise failure("BAD_SHARE", f"PERCENTILE takes a share from 0 to 1, not {share}")
    values = pl.col("values")
    # Counted from 1, as Flink does: the last bits of the result depend on it.
    place = (values.list.len().cast(pl.Float64) - 1) * share + 1
    below, above = place.floor().cast(pl.Int64), place.ceil().cast(pl.Int64)
    some = values.list.len() > 0
    low = values.list.get(pl.when(some).then(below - 1), null_on_oob=True)
    high = values.list.get(pl.when(some).then(above - 1), null_on_oob=True)
    between = low * (above - place) + high * (place - below)
    return pl.when(below == above).then(low).otherwise(between)


PERCENTILES = [
    ScalarFunction(
        name="$WEIGHTED",
        infer=infer("$WEIGHTED", (FLOATING,), (FLOATING, LONG), result=_weighted_type),
        kernel=_weighted,
    ),
    ScalarFunction(name="$PERCENTILE", infer=_types, kernel=_percentile, fallible=True),
]
