"""What is measured: each case as sameriver runs it over a stream and DuckDB over the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EVENTS = """CREATE TABLE {name} (
  ts TIMESTAMP(3), k BIGINT, s STRING, device BIGINT, amount BIGINT, user_id BIGINT,
  proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');"""

PAIRS = """CREATE TABLE {name} (k BIGINT, v BIGINT)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'parquet');"""

TABLES = {"events": EVENTS, "sample": EVENTS, "shuffled": EVENTS, "l": PAIRS, "r": PAIRS}
"""DDL of each data set of ``data.py``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A query in both dialects, and the least ratio of throughputs (ours to DuckDB's) we accept.

    Attributes:
        reads: data sets, as tables of the same names.
        columns: of the sink.
        duckdb: the same query; None: it is the same text.
        shards: ``parallelism.default``. DuckDB always has both cores; one shard leaves the other
            core to reading.
    """

    name: str
    bar: float
    reads: tuple[str, ...] = ("events",)
    columns: str
    sql: str
    duckdb: str | None = None
    shards: int = 1

    def script(self, folder: Path) -> str:
        ddl = [
            TABLES[name].format(name=name, path=folder / f"{name}.parquet") for name in self.reads
        ]
        sink = f"CREATE TABLE sink ({self.columns}) WITH ('connector' = 'blackhole');"
        shards = f"SET 'parallelism.default' = '{self.shards}';"
        return "\n".join([shards, *ddl, sink, f"INSERT INTO sink {self.sql};"])


def _first(order: str, table: str) -> str:
    return (
        "SELECT k, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY "
        f"{order}) AS rn FROM {table}) WHERE rn = 1"
    )


_TOP_10 = (
    "SELECT user_id, amount, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id "
    "ORDER BY amount DESC) AS rn FROM sample) WHERE rn <= 10"
)

CASES = (
    Case(
        name="filter_project",
        bar=0.5,
        columns="ts TIMESTAMP(3), k BIGINT, amount BIGINT, cents BIGINT",
        sql="SELECT ts, k, amount, amount * 100 + k FROM events WHERE amount > 500",
    ),
    Case(
        name="group_by_1m_ints",
        shards=2,
        bar=0.5,
        columns="k BIGINT, total BIGINT, n BIGINT",
        sql="SELECT k, SUM(amount), COUNT(*) FROM events GROUP BY k",
    ),
    Case(
        name="group_by_1m_strings",
        shards=2,
        bar=0.4,
        columns="s STRING, total BIGINT, n BIGINT",
        sql="SELECT s, SUM(amount), COUNT(*) FROM events GROUP BY s",
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
    Case(
        name="keep_first",
        bar=0.3,
        reads=("sample",),
        columns="k BIGINT, amount BIGINT",
        sql=_first("proc ASC", "sample"),
        duckdb=_first("ts ASC", "sample"),
    ),
    Case(
        name="keep_last",
        shards=2,
        bar=0.3,
        reads=("sample",),
        columns="k BIGINT, amount BIGINT",
        sql=_first("ts DESC", "sample"),
    ),
    Case(
        name="join",
        shards=2,
        bar=0.3,
        reads=("l", "r"),
        columns="k BIGINT, v BIGINT, w BIGINT",
        sql="SELECT l.k, l.v, r.v FROM l JOIN r ON l.k = r.k",
    ),
    Case(
        name="top_10",
        bar=0.15,
        reads=("sample",),
        columns="user_id BIGINT, amount BIGINT, ts TIMESTAMP(3)",
        sql=_TOP_10,
    ),
    Case(
        name="temporal_sort",
        bar=0.3,
        reads=("shuffled",),
        columns="ts TIMESTAMP(3), k BIGINT, amount BIGINT",
        sql="SELECT ts, k, amount FROM shuffled ORDER BY ts",
    ),
)
