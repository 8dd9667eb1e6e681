"""Rows per second of each family of functions: ``python benchmarks/functions.py [family ...]``.

Columns in memory; each line is one expression, the best of a few runs, by the time the processor
spent on it. With ``--distinct`` no text occurs twice, which is the worst case of the few functions
that call Python for each distinct text.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from sqlglot import exp

from sameriver import Session
from sameriver.operators.compile import compile_expression
from sameriver.plan.bind import bind_query
from sameriver.plan.logical import Project
from sameriver.sql import parse_statement
from sameriver.sql.statements import Query

TABLE = """CREATE TABLE t (
  n INT, m BIGINT, x DOUBLE, d DECIMAL(10, 2), s STRING, dat DATE, ts TIMESTAMP(3),
  ltz TIMESTAMP_LTZ(3), a ARRAY<INT>, j STRING, u STRING
) WITH ('connector' = 'datagen')"""
ZONE = "Europe/Berlin"
CASES = {
    "comparison": ["n = m", "s < 'k500'", "x BETWEEN 0.2 AND 0.8", "n IN (1, 2, 3, 4, 5)"],
    "logic": ["n > 5 AND m < 100 OR x > 0.5", "(n > 5) IS NOT TRUE"],
    "arithmetic": ["n + m", "n / 7", "n % 7", "d * d", "d / 3", "x / 3", "ts + INTERVAL '1' DAY"],
    "mathematics": ["ABS(n)", "ROUND(x, 2)", "ROUND(d, 1)", "SIN(x)", "POWER(x, 2)", "HEX(n)"],
    "choice": ["CASE WHEN n > 5 THEN m ELSE 0 END", "COALESCE(s, u)", "GREATEST(n, 10)"],
    "conversion": ["CAST(n AS STRING)", "CAST(x AS STRING)", "CAST(x * 1e9 AS STRING)",
                   "CAST(d AS INT)", "CAST(ts AS STRING)",
                   "CAST(s AS VARCHAR(3))", "TRY_CAST(s AS INT)"],
    "text": ["UPPER(s)", "SUBSTRING(s, 2, 3)", "s || u", "REPLACE(s, 'k', 'z')", "LPAD(s, 8, '0')",
             "SPLIT_INDEX(u, '/', 2)", "POSITION('5' IN s)", "LOCATE('5', s, 2)", "INITCAP(u)",
             "TRANSLATE(s, 'k5', 'z')", "URL_ENCODE(u)", "STR_TO_MAP(s)", "PRINTF('%d-%s', n, s)",
             "ENCODE(s, 'UTF-16')"],
    "patterns": ["s LIKE 'k5%'", "REGEXP(s, '^k[0-9]+$')", "REGEXP_EXTRACT(u, 'b=([0-9]+)', 1)",
                 "REGEXP_COUNT(u, '[0-9]+')", "REGEXP_EXTRACT_ALL(u, '([0-9]+)')"],
    "hashes": ["MD5(s)", "SHA1(s)", "SHA256(s)", "SHA512(s)"],
    "addresses": ["INET_NTOA(m)", "PARSE_URL(u, 'HOST')"],
    "time": ["EXTRACT(HOUR FROM ts)", "FLOOR(ts TO HOUR)", "DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm')",
             "CAST(ltz AS DATE)", "TIMESTAMPDIFF(DAY, ts, ts)", "TO_TIMESTAMP(CAST(ts AS STRING))"],
    "collections": ["a[1]", "CARDINALITY(a)", "ARRAY_CONTAINS(a, 3)", "ARRAY_SORT(a)",
                    "ARRAY_EXCEPT(a, a)", "ARRAY[n, n]"],
    "objects": ["OBJECT_OF('item', 'n', n)", "OBJECT_OF('item', 'n', n, 's', s).s"],
    "bitmaps": ["BITMAP_BUILD(a)", "BITMAP_OR(BITMAP_BUILD(a), BITMAP_BUILD(ARRAY[n, 7]))",
                "BITMAP_TO_BYTES(BITMAP_BUILD(a))"],
    "variants": ["JSON_STRING(PARSE_JSON(j))", "JSON_STRING(PARSE_JSON(j)['a'])"],
    "json": ["JSON_VALUE(j, '$.a')", "JSON_VALUE(j, '$.a' RETURNING INT)", "j IS JSON",
             "JSON_EXISTS(j, '$.b')", "JSON_QUERY(j, '$.b')",
             "JSON_QUERY(j, '$.b' RETURNING ARRAY<STRING>)", "JSON_QUOTE(u)",
             "JSON_OBJECT('a' VALUE s)"],
}  # fmt: skip
"""Expressions over the columns of ``rows``, by family."""


@dataclass(frozen=True, slots=True)
class Measured:
    expression: str
    rows_per_second: float


def rows(count: int, *, distinct: bool = False) -> pl.DataFrame:
    """Data of every type, of which many values occur more than once, or none."""
    random = np.random.default_rng(7)
    numbers = np.arange(count) if distinct else random.integers(0, 1000, count)
    number = pl.Series("n", numbers, dtype=pl.Int32)
    moments = pl.Series("ts", random.integers(0, 1_700_000_000_000, count)).cast(pl.Datetime("ms"))
    return pl.DataFrame([number, moments, pl.Series("x", random.random(count))]).with_columns(
        m=pl.col("n").cast(pl.Int64) * 1_000_003,
        d=(pl.col("n") / 100).cast(pl.Decimal(10, 2)),
        s=pl.format("k{}", "n"),
        dat=pl.col("ts").dt.date(),
        ltz=pl.col("ts").dt.replace_time_zone("UTC"),
        a=pl.concat_list(pl.col("n"), pl.lit(3, pl.Int32), pl.col("n") % 5),
        j=pl.concat_str(pl.lit('{"a": '), pl.col("n").cast(pl.String), pl.lit(', "b": [1, 2]}')),
        u=pl.format("http://host{}.org/p?b={}", "n", "n"),
    )


def measure(session: Session, frame: pl.DataFrame, expression: str, repeat: int) -> Measured:
    statement = parse_statement(f"SELECT {expression} FROM t")
    assert isinstance(statement, Query)
    assert isinstance(statement.query, exp.Expr)
    plan = bind_query(statement.query, session.catalog, session.config)
    assert isinstance(plan, Project)
    compiled = compile_expression(plan.columns[0].expression, ZoneInfo(ZONE))
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        frame.select(compiled.alias("result"))
        best = min(best, time.process_time() - start)
    return Measured(expression, frame.height / best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", nargs="*", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--distinct", action="store_true", help="no text occurs twice")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    session = Session({"table.local-time-zone": ZONE})
    session.execute(TABLE)
    frame = rows(options.rows, distinct=options.distinct)
    chosen = {name: CASES[name] for name in options.family or CASES}
    for family, expressions in chosen.items():
        measured = [measure(session, frame, text, options.repeat) for text in expressions]
        mean = len(measured) / sum(1 / one.rows_per_second for one in measured)
        print(f"{family:<14} {mean / 1e6:9.2f} M rows/s")
        for one in measured:
            print(f"  {one.expression:<40} {one.rows_per_second / 1e6:9.2f}")


if __name__ == "__main__":
    main()
