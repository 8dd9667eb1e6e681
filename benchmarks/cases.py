"""What is measured: each case as sameriver runs it over a stream and DuckDB over the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

SOURCE = """
CREATE TABLE events (
  ts TIMESTAMP(3), k BIGINT, s STRING, device BIGINT, amount BIGINT, user_id BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A query in both dialects, and the least ratio of throughputs (ours to DuckDB's) we accept."""

    name: str
    bar: float
    columns: str
    sql: str
    duckdb: str

    def script(self, path: Path) -> str:
        sink = f"CREATE TABLE sink ({self.columns}) WITH ('connector' = 'blackhole');"
        return f"{SOURCE.format(path=path)}{sink}INSERT INTO sink {self.sql};"


CASES = (
    Case(
        name="filter_project",
        bar=0.5,
        columns="ts TIMESTAMP(3), k BIGINT, amount BIGINT, cents BIGINT",
        sql="SELECT ts, k, amount, amount * 100 + k FROM events WHERE amount > 500",
        duckdb="SELECT ts, k, amount, amount * 100 + k FROM events WHERE amount > 500",
    ),
    Case(
        name="group_by_1m_ints",
        bar=0.5,
        columns="k BIGINT, total BIGINT, n BIGINT",
        sql="SELECT k, SUM(amount), COUNT(*) FROM events GROUP BY k",
        duckdb="SELECT k, SUM(amount), COUNT(*) FROM events GROUP BY k",
    ),
    Case(
        name="group_by_1m_strings",
        bar=0.4,
        columns="s STRING, total BIGINT, n BIGINT",
        sql="SELECT s, SUM(amount), COUNT(*) FROM events GROUP BY s",
        duckdb="SELECT s, SUM(amount), COUNT(*) FROM events GROUP BY s",
    ),
    Case(
        name="cumulate",
        bar=0.3,
        columns="device BIGINT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), "
        "total BIGINT, users BIGINT",
        sql="SELECT device, window_start, window_end, SUM(amount), COUNT(DISTINCT user_id) "
        "FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' DAY)) "
        "GROUP BY device, window_start, window_end",
        duckdb="SELECT device, date_trunc('minute', ts), SUM(amount), COUNT(DISTINCT user_id) "
        "FROM events GROUP BY ALL",
    ),
)


def generate(path: Path, rows: int, seed: int = 1) -> None:
    """A day of events in order of time: 1 M keys as ints and as strings, 1,000 devices."""
    random = np.random.default_rng(seed)
    chunk = 2_000_000
    parts = []
    day = 86_400_000
    for start in range(0, rows, chunk):
        n = min(chunk, rows - start)
        keys = random.integers(0, 1_000_000, n)
        times = (np.arange(start, start + n) * day // rows).astype("datetime64[ms]")
        frame = pl.DataFrame(
            {
                "ts": times + np.datetime64("2026-01-01", "ms").astype("timedelta64[ms]"),
                "k": keys,
                "device": random.integers(0, 1_000, n),
                "amount": random.integers(0, 1_000, n),
                "user_id": random.integers(0, 100_000, n),
            }
        )
        text = "user-" + pl.col("k").cast(pl.String).str.zfill(8)
        parts.append(frame.with_columns(text.alias("s")))
    pl.concat(parts).write_parquet(path, row_group_size=262_144)
