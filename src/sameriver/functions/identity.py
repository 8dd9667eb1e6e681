"""UUID and TYPEOF."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import polars as pl

from sameriver.common.types import STRING, char
from sameriver.functions.forms import ANY, infer
from sameriver.functions.signature import Evaluation, ScalarFunction


def _uuids(rows: pl.Series) -> pl.Series:
    return pl.Series([str(uuid.uuid4()) for _ in range(len(rows))], dtype=pl.String)


def _type_of(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """The type's text, as often as there are values."""
    shown = str(evaluation.operands[0].type)
    return pl.when(args[0].is_null()).then(pl.lit(shown)).otherwise(pl.lit(shown))


IDENTITY = [
    ScalarFunction(
        name="UUID",
        infer=infer("UUID", (), result=char(36), nullable=False),
        kernel=lambda e, _: pl.col(e.now).map_batches(_uuids, return_dtype=pl.String),
        deterministic=False,
    ),
    ScalarFunction(
        name="TYPEOF",
        infer=infer("TYPEOF", (ANY,), result=STRING, nullable=True),
        kernel=_type_of,
    ),
]
