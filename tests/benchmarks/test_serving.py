"""The processes that serve engines, and how they are asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.nexmark import engines
from benchmarks.nexmark.engines import Failed, Running, duckdb, sameriver


def test_sameriver_answers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,2\n1,3\n2,5\n")
    source = "CREATE TABLE t (k BIGINT, v BIGINT) WITH ('connector' = 'filesystem',"
    sink = "CREATE TABLE s (k BIGINT, v BIGINT) WITH ('connector' = 'blackhole')"
    query = "SELECT k, SUM(v) AS v FROM t GROUP BY k"
    with Running(sameriver({})) as process:
        process.setup([f"{source} 'path' = '{tmp_path}/t.csv', 'format' = 'csv')", sink])
        assert process.run(f"INSERT INTO s {query}") > 0
        assert process.peak() > 2**20
        with pytest.raises(Failed, match=r"sameriver: UserError.*nothing"):
            process.run("INSERT INTO s SELECT * FROM nothing")


def test_duckdb_answers() -> None:
    with Running(duckdb()) as process:
        process.setup(["CREATE TABLE t AS SELECT 1 AS k, 2.5::DOUBLE AS v"])
        assert process.run("CREATE TABLE r AS SELECT * FROM t") > 0


def test_an_engine_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "LIMIT", 0)
    with Running(duckdb()) as process:
        with pytest.raises(Failed, match="duckdb took more than 0 s"):
            process.peak()
        process.kill()
        assert not process.alive
