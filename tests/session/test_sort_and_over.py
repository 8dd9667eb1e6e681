"""Finished input: sorts and OVER windows give what DuckDB gives, on any number of shards."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from sameriver import Session

QUERIES = {
    "range": "SELECT k, v, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s, COUNT(*) OVER"
    " (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) AS n"
    " FROM t",
    "by column": "SELECT k, v, ts, RANK() OVER w AS r, MAX(ts) OVER w AS m FROM t"
    " WINDOW w AS (PARTITION BY k ORDER BY v DESC NULLS LAST)",
    "top": "SELECT k, SUM(v) AS s FROM t GROUP BY k ORDER BY s DESC, k LIMIT 7 OFFSET 2",
    "temporal": "SELECT ts, v, k FROM t ORDER BY ts, v DESC NULLS LAST, k",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random, size = np.random.default_rng(3), 10_000
    times = np.arange(size) * 1000 + random.integers(0, 4000, size)
    rows = pl.DataFrame(
        {
            "k": random.integers(0, 200, size),
            "v": random.integers(0, 50, size),
            "ts": pl.Series(times).cast(pl.Datetime("ms")),
        }
    )
    file = tmp_path_factory.mktemp("sorts") / "t.parquet"
    rows.with_columns(pl.col("v").replace(0, None)).write_parquet(file)
    return file


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("query", QUERIES)
def test_agrees_with_duckdb(query: str, shards: int, path: Path) -> None:
    session = Session()
    session.execute(f"SET 'parallelism.default' = '{shards}'")
    session.execute(
        "CREATE TABLE t (k BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
        f" - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = '{path}',"
        " 'format' = 'parquet')"
    )
    (result,) = session.execute(QUERIES[query])
    found = result.to_polars()
    rows = QUERIES[query].replace("FROM t", f"FROM '{path}'")
    expected = duckdb.connect().execute(rows).fetchall()
    ours = found.rows()
    if query == "temporal":
        assert ours == expected
    else:
        assert sorted(ours, key=repr) == sorted(expected, key=repr)
