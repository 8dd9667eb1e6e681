"""UUID and TYPEOF."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import polars as pl

from sameriver.common.types import (
    INTERVAL_DAY_TIME,
    INTERVAL_YEAR_MONTH,
    MAX_LENGTH,
    STRING,
    TimeAttribute,
    char,
)
from sameriver.functions.forms import ANY, TRUTH, Form, infer, wrong_arguments
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_COUNTED_IN = {INTERVAL_YEAR_MONTH: "INTERVAL MONTH", INTERVAL_DAY_TIME: "INTERVAL SECOND(3)"}
"""Flink names intervals by the unit it counts them in, whatever unit they were written in."""


def _uuids(rows: pl.Series) -> pl.Series:
    return pl.Series([str(uuid.uuid4()) for _ in range(len(rows))], dtype=pl.String)


def _type_of(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """The type's text, as often as there are values; with TRUE the lengths are spelled out."""
    shown = str(evaluation.operands[0].type)
    for type, unit in _COUNTED_IN.items():
        shown = shown.replace(type.name, unit)
    if len(args) == 2 and evaluation.operands[1].value is True:
        shown = shown.replace("STRING", f"VARCHAR({MAX_LENGTH})")
        shown = shown.replace("BYTES", f"VARBINARY({MAX_LENGTH})")
    return pl.when(args[0].is_null()).then(pl.lit(shown)).otherwise(pl.lit(shown))


def _shown(operands: Sequence[Operand]) -> Resolved:
    """Flink can't plan the type of a processing time."""
    forms: tuple[Form, ...] = ((ANY,), (ANY, TRUTH))
    if operands and operands[0].type.attribute is TimeAttribute.PROCTIME:
        raise wrong_arguments("TYPEOF", operands, forms, hint="CAST it to TIMESTAMP_LTZ(3) first.")
    return infer("TYPEOF", *forms, result=STRING, nullable=True)(operands)


IDENTITY = [
    ScalarFunction(
        name="UUID",
        infer=infer("UUID", (), result=char(36), nullable=False),
        kernel=lambda e, _: pl.col(e.now).map_batches(_uuids, return_dtype=pl.String),
        deterministic=False,
    ),
    ScalarFunction(
        name="TYPEOF",
        infer=_shown,
        kernel=_type_of,
    ),
]
