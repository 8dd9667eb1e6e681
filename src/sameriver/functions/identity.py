"""UUID and TYPEOF."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
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
from sameriver.functions.octets import texts
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_COUNTED_IN = {INTERVAL_YEAR_MONTH: "INTERVAL MONTH", INTERVAL_DAY_TIME: "INTERVAL SECOND(3)"}
"""Flink names intervals by the unit it counts them in, whatever unit they were written in."""


def _uuids(rows: pl.Series) -> pl.Series:
    """Of version 4: random but for the bits that tell version and variant."""
    count = len(rows)
    octets = np.frombuffer(os.urandom(16 * count), np.uint8).reshape(count, 16).copy()
    octets[:, 6] = octets[:, 6] & 0x0F | 0x40
    octets[:, 8] = octets[:, 8] & 0x3F | 0x80
    shown = np.full((count, 36), ord("-"), np.uint8)
    digits = np.stack([octets >> 4, octets & 15], axis=2).reshape(count, 32)
    shown[:, _DIGITS] = _HEX[digits]
    ends = np.arange(1, count + 1, dtype=np.int64) * 36
    return texts(shown.ravel(), ends - 36, ends, pl.Series([True]).new_from_index(0, count))


_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_DIGITS = np.delete(np.arange(36), [8, 13, 18, 23])
"""Where digits stand, between dashes."""


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
    if len(operands) == 2 and not isinstance(operands[1].value, bool):
        raise wrong_arguments("TYPEOF", operands, forms, hint="Write TRUE or FALSE.")
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
