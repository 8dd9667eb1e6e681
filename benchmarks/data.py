"""The data sets, made by seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

_CHUNK = 2_000_000
_DAY = 86_400_000


def rows_of(name: str, rows: int) -> int:
    """Rows of a data set, if ``events`` has ``rows``."""
    return {"events": rows, "sample": rows // 2, "shuffled": rows // 2}.get(name, rows // 4)


def generate(folder: Path, name: str, rows: int) -> None:
    """Writes a data set, once."""
    path = folder / f"{name}.parquet"
    if path.exists():
        return
    seed = sum(map(ord, name))
    frame = pairs(rows, seed) if name in ("l", "r") else events(rows, seed)
    if name == "shuffled":
        frame = shuffled(frame, seed)
    frame.write_parquet(path, row_group_size=262_144)


def events(rows: int, seed: int) -> pl.DataFrame:
    """A day in order of time: 1 M keys as ints and as strings, 1,000 devices, 100 k users."""
    random = np.random.default_rng(seed)
    parts = []
    for start in range(0, rows, _CHUNK):
        n = min(_CHUNK, rows - start)
        times = (np.arange(start, start + n) * _DAY // rows).astype("timedelta64[ms]")
        frame = pl.DataFrame(
            {
                "ts": np.datetime64("2026-01-01", "ms") + times,
                "k": random.integers(0, 1_000_000, n),
                "device": random.integers(0, 1_000, n),
                "amount": random.integers(0, 1_000, n),
                "user_id": random.integers(0, 100_000, n),
            }
        )
        text = "user-" + pl.col("k").cast(pl.String).str.zfill(8)
        parts.append(frame.with_columns(text.alias("s")))
    return pl.concat(parts)


def shuffled(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The same rows up to 4 s out of order, which the watermark allows."""
    jitter = np.random.default_rng(seed).integers(0, 4_000, frame.height)
    arrival = pl.col("ts") + pl.Series(jitter).cast(pl.Duration("ms"))
    return frame.sort(arrival)


def pairs(rows: int, seed: int) -> pl.DataFrame:
    """A fifth as many keys as rows."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {"k": random.integers(0, max(1, rows // 5), rows), "v": random.integers(0, 1_000, rows)}
    )
