"""Queries that need some fields of ROWs give what reading the whole rows gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from sameriver import Session
from sameriver.common.errors import ExternalError

ROWS = """\
{"kind": 1, "a": {"x": 1, "y": "one", "deep": {"p": 1, "q": 2}}, "b": null}
{"kind": 2, "a": null, "b": {"x": 7, "ts": "2026-01-01 00:00:01"}}
{"kind": 1, "a": {"y": "two", "deep": {"q": 5}, "x": 2}, "b": {"ts": "2026-01-01 00:00:02"}}
{"kind": 1, "a": {"x": 3, "deep": null}, "b": {"x": "no", "ts": "2026-01-01 00:00:03"}}
{"kind": 1, "a": {"x": 4, "deep": {"q": 9}, "deep": {"p": 8}}}
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "rows").write_text(ROWS)
    made = Session({})
    made.execute(f"""CREATE TABLE t (
      kind INT, a ROW<x INT, y STRING, deep ROW<p INT, q INT>>, b ROW<x INT, ts TIMESTAMP(3)>,
      ts AS COALESCE(b.ts, TIMESTAMP '2026-01-01 00:00:00'), WATERMARK FOR ts AS ts
    ) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/rows', 'format' = 'json');""")
    return made


def test_values_of_fields(session: Session) -> None:
    query = "SELECT a.x, a.deep.q, a.deep IS NULL, SECOND(ts) FROM t WHERE kind = 1"
    rows = session.sql(query).to_polars()
    assert rows.rows() == [
        (1, 2, False, 0), (2, 5, False, 2), (3, None, True, 3), (4, None, False, 0)
    ]  # fmt: skip


def test_a_bad_field_is_told_where_it_is_needed(session: Session) -> None:
    with pytest.raises(ExternalError, match=r"line 4, .*column 'b'"):
        session.sql("SELECT b.x FROM t").to_polars()
    assert session.sql("SELECT b.ts FROM t").to_polars().height == 5


def test_explain_names_the_fields(session: Session) -> None:
    plan = session.explain("SELECT a.x, a.deep.q FROM t;")
    assert "columns=[a.x, a.deep.q]" in plan
