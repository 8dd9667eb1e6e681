"""UUID."""

from __future__ import annotations

import uuid

import polars as pl

from sameriver.common.types import char
from sameriver.functions.forms import infer
from sameriver.functions.signature import ScalarFunction


def _uuids(rows: pl.Series) -> pl.Series:
    return pl.Series([str(uuid.uuid4()) for _ in range(len(rows))], dtype=pl.String)


IDENTITY = [
    ScalarFunction(
        name="UUID",
        infer=infer("UUID", (), result=char(36), nullable=False),
        kernel=lambda e, _: pl.col(e.now).map_batches(_uuids, return_dtype=pl.String),
        deterministic=False,
    ),
]
