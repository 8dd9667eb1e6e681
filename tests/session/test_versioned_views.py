"""Versions of rows that come in one batch."""

from __future__ import annotations

from datetime import datetime

import polars as pl

from sameriver import Session

VIEW = """CREATE VIEW rates AS SELECT cur, rate, rt FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS n FROM feed
) WHERE n = 1"""
JOIN = """SELECT id, rate FROM pays LEFT JOIN rates FOR SYSTEM_TIME AS OF pays.ts AS r
ON pays.cur = r.cur"""


def _times(*seconds: int) -> list[datetime]:
    return [datetime(2026, 1, 1, 0, 0, second) for second in seconds]


def test_a_version_that_is_replaced_in_its_batch_was_valid_for_a_while() -> None:
    session = Session()
    feed = {"cur": ["EUR", "EUR", "USD"], "rate": [1, 2, 9], "rt": _times(1, 10, 30)}
    pays = {"id": [1, 2, 3], "cur": ["EUR", "EUR", "USD"], "ts": _times(5, 12, 20)}
    session.register("feed", pl.DataFrame(feed), watermark=("rt", "rt"))
    session.register("pays", pl.DataFrame(pays), watermark=("ts", "ts"))
    session.execute(VIEW)
    assert sorted(session.sql(JOIN).to_polars().rows()) == [(1, 1), (2, 2), (3, None)]
