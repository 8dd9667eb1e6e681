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


def lists(values: pl.Series, bounds: Index, valid: Mask) -> pl.Series:
    """Lists of the stretches of ``values``, NULL where not ``valid``."""
    owner = np.repeat(np.arange(len(valid)), np.diff(bounds))
    frame = pl.DataFrame({"owner": owner, "value": values})
    grouped = frame.group_by("owner", maintain_order=True).agg("value")
    rows = pl.DataFrame({"owner": np.arange(len(valid))})
    joined = rows.join(grouped, on="owner", how="left", maintain_order="left")["value"]
    empty = pl.Series([[]], dtype=pl.List(values.dtype))
    return only(joined.zip_with(joined.is_not_null(), empty), valid)
