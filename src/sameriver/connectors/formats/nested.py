"""Puts nested columns together from flat ones."""

from __future__ import annotations

import numpy as np
import polars as pl

from sameriver.connectors.formats.cells import Index, Mask


def only(series: pl.Series, valid: Mask) -> pl.Series:
    """NULL where not ``valid``."""
    if valid.all():
        return series
    return series.zip_with(pl.Series(valid), pl.Series([None], dtype=series.dtype))


def any_within(flags: Mask, bounds: Index) -> Mask:
    """Whether any flag of each stretch is set."""
    counted = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray(counted[bounds[1:]] > counted[bounds[:-1]])
