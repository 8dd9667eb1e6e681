"""The Python API, from SQL text to rows."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, SameriverError, UserError
from sameriver.common.time import ManualClock
from sameriver.connectors.connector import SourceBatch
from sameriver.plan.physical.scan import Scan
from sameriver.session import Session
from sameriver.sql.statements import Insert

EVENTS = pl.DataFrame(
    {
        "k": ["a", "b", "a", "b"],
        "n": [1, 2, 3, None],
        "ts": [datetime(2024, 1, 1, 0, 0, second) for second in (1, 5, 20, 3)],
    }
)
TUMBLE = (
    "SELECT window_end, SUM(n) AS n FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10'"
    " SECOND)) GROUP BY window_start, window_end"
)


@pytest.fixture
def session() -> Session:
    made = Session()
    made.register("e", EVENTS, watermark=("ts", "ts - INTERVAL '5' SECOND"))
    return made


def column(session: Session, statement: str) -> list[object]:
    """The first column of a statement's table."""
    return session.sql(statement).to_polars().to_series().to_list()


def code(session: Session, script: str) -> str:
    with pytest.raises(SameriverError) as caught:
        session.execute(script)
    return caught.value.code


# Queries.


def test_a_query_gives_its_changelog_with_kinds(session: Session) -> None:
    session.execute("SET 'table.exec.mini-batch.enabled' = 'false'")
    changes = list(session.sql("SELECT k, SUM(n) FROM e WHERE n > 0 GROUP BY k").changes())
    assert changes == [
        ("+I", ("a", 1)), ("+I", ("b", 2)), ("-U", ("a", 1)), ("+U", ("a", 4)),
    ]  # fmt: skip


def test_a_query_gives_its_final_table(session: Session) -> None:
    table = session.sql("SELECT k, SUM(n) AS n FROM e GROUP BY k").to_polars()
    assert sorted(table.rows()) == [("a", 4), ("b", 2)]


def test_event_time_windows_close_with_the_watermark_and_at_the_end(session: Session) -> None:
    table = session.sql(TUMBLE).to_polars()
    assert table["n"].to_list() == [3, 3]


def test_values_need_no_table() -> None:
    assert column(Session(), "SELECT a * 2 FROM (VALUES (1), (2)) AS t (a) WHERE a > 1") == [4]


def test_rendered_rows_are_those_of_flinks_client(session: Session) -> None:
    ((kinds, rows),) = session.sql("SELECT ts, CAST(n AS DECIMAL(5, 2)) FROM e").rendered()
    assert kinds == ["+I"] * 4
    assert rows[0] == ["2024-01-01 00:00:01.000", "1.00"]


def test_the_schema_is_known_before_the_query_runs(session: Session) -> None:
    schema = session.sql("SELECT k, COUNT(*) AS c FROM e GROUP BY k").schema
    assert [f"{field.name} {field.type}" for field in schema] == [
        "k STRING",
        "c BIGINT NOT NULL",
    ]


def test_a_result_is_read_once(session: Session) -> None:
    result = session.sql("SELECT k FROM e")
    first = result.to_polars()
    assert result.to_polars() is first
    with pytest.raises(UserError, match="RESULT_READ"):
        result.changes().__next__()


@pytest.mark.parametrize("date", ["DATE '9999-12-31'", "TIMESTAMP '9999-12-31 00:00:00'"])
def test_a_date_that_python_lacks_is_an_error(date: str) -> None:
    result = Session().sql(f"SELECT TIMESTAMPADD(DAY, 1, {date})")
    with pytest.raises(ExternalError, match="cannot compute a row") as told:
        list(result.changes())
    assert told.value.code == "EVALUATION_FAILED"


def test_a_result_is_an_arrow_stream(session: Session) -> None:
    table = pa.table(session.sql("SELECT k, n FROM e"))
    assert table.column("n").to_pylist() == [1, 2, 3, None]


def test_a_query_can_be_left_before_its_end() -> None:
    session = Session()
    session.execute(
        "CREATE TABLE s (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000')"
    )
    threads = threading.active_count()
    with session.sql("SELECT n FROM s") as result:
        assert len(next(result.changes())) == 2
    assert threading.active_count() == threads


def test_all_statements_read_the_sessions_clock() -> None:
    session = Session(clock=ManualClock(86_400_000))
    assert column(session, "SELECT CAST(CURRENT_TIMESTAMP AS DATE) FROM (VALUES (1)) AS t (a)") == [
        datetime(1970, 1, 2).date()
    ]


# Frames.


def test_pandas_and_arrow_frames_are_tables_too() -> None:
    session = Session()
    session.register("p", pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    session.register("q", pa.table({"a": [3]}))
    assert column(session, "SELECT a FROM p UNION ALL SELECT a FROM q") == [1, 2, 3]


def test_an_iterator_of_frames_is_a_stream() -> None:
    session = Session()
    session.register("s", (pl.DataFrame({"a": [i]}) for i in range(3)))
    assert column(session, "SELECT a + 1 FROM s") == [1, 2, 3]


def test_a_frame_can_be_read_again(session: Session) -> None:
    assert column(session, "SELECT k FROM e") == column(session, "SELECT k FROM e")


def test_registering_again_replaces(session: Session) -> None:
    session.register("e", pl.DataFrame({"other": [1]}))
    assert column(session, "SELECT other FROM e") == [1]


def test_names_are_quoted(session: Session) -> None:
    session.register("my `table`", pl.DataFrame({"a b": [7]}), primary_key=["a b"])
    assert column(session, "SELECT `a b` FROM `my ``table```") == [7]


def test_a_watermark_needs_a_column_that_is_there() -> None:
    with pytest.raises(UserError, match="no column 'tz'"):
        Session().register("e", EVENTS, watermark=("tz", "tz"))


@pytest.mark.parametrize(("terms", "answer"), [(150, 150), (300, None), (3000, None)])
def test_long_chains_have_an_answer_or_are_refused(terms: int, answer: int | None) -> None:
    query = f"SELECT {' + '.join(['a'] * terms)} FROM (VALUES (1)) AS t (a)"
    if answer is not None:
        assert column(Session(), query) == [answer]
        return
    with pytest.raises(UserError, match="TOO_DEEP"):
        column(Session(), query)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(UserError, match="NOT_A_FRAME"):
        Session().register("e", [1, 2])  # type: ignore[list-item]
    with pytest.raises(UserError, match="NOT_A_FRAME"):
        Session().register("e", 5)  # type: ignore[arg-type]


def test_an_iterator_without_frames_is_refused() -> None:
    with pytest.raises(UserError, match="gives no frame"):
        Session().register("e", [])


# Statements.


def test_set_holds_for_what_follows(session: Session) -> None:
    day = "SELECT CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING) FROM (VALUES (1)) AS t (a)"
    results = session.execute(f"{day}; SET 'table.local-time-zone' = 'Asia/Tokyo'; {day}")
    texts = [result.to_polars().item()[:13] for result in results]
    assert texts == ["1970-01-01 00", "OK", "1970-01-01 09"]


def test_reset_goes_back_to_what_the_session_began_with() -> None:
    session = Session({"parallelism.default": "2"})
    session.execute("SET 'parallelism.default' = '3'; RESET 'parallelism.default'")
    assert session.config["parallelism.default"] == "2"
    session.execute("SET 'pipeline.name' = 'x'; RESET")
    assert session.config["pipeline.name"] == ""


def test_set_alone_lists_options(session: Session) -> None:
    session.execute("SET 'pipeline.name' = 'x'")
    listed = dict(session.sql("SET").to_polars().iter_rows())
    assert listed["pipeline.name"] == "x"
    assert listed["table.local-time-zone"] == "UTC"


def test_unknown_options_are_refused(session: Session) -> None:
    assert code(session, "SET 'tabel.exec' = 'x'") == "UNKNOWN_OPTION"
    assert code(session, "SET 'table.exec.mini-batch.enabld' = 'false'") == "UNKNOWN_OPTION"
    assert code(session, "SET 'execution.runtime-mode' = 'batch'") == "UNSUPPORTED"
    session.execute("SET 'execution.runtime-mode' = 'streaming'; SET 'table.exec.x' = '1'")
    with pytest.raises(UserError, match="UNKNOWN_OPTION"):
        Session({"x": "y"})


def test_views_are_made_replaced_and_dropped(session: Session) -> None:
    session.execute("CREATE VIEW v AS SELECT k FROM e")
    assert column(session, "SHOW VIEWS") == ["v"]
    assert column(session, "SELECT k FROM v") == ["a", "b", "a", "b"]
    session.execute("DROP VIEW v; DROP VIEW IF EXISTS v")
    assert code(session, "DROP VIEW v") == "UNKNOWN_TABLE"


def test_tables_are_listed_and_described(session: Session) -> None:
    assert column(session, "SHOW TABLES") == ["e"]
    rows = session.sql("DESCRIBE e").to_polars().rows()
    assert rows[2] == (
        "ts", "TIMESTAMP(3) *ROWTIME*", True, None, None, "ts - INTERVAL '5' SECOND",
    )  # fmt: skip


def test_show_create_table_declares_the_same_table(session: Session) -> None:
    ddl = column(session, "SHOW CREATE TABLE e")[0]
    session.execute("DROP TEMPORARY TABLE e")
    session.execute(str(ddl))
    assert column(session, "SHOW CREATE TABLE e") == [ddl]
    assert session.sql(TUMBLE).to_polars()["n"].to_list() == [3, 3]


def test_comments_of_columns_are_described_and_inherited(session: Session) -> None:
    session.execute(
        "CREATE TABLE noted (a INT COMMENT 'it''s a', b AS a + 1 COMMENT 'more', c INT)"
        " COMMENT 'all' WITH ('connector' = 'blackhole'); CREATE TABLE other LIKE noted;"
    )
    described = session.sql("DESCRIBE other").to_polars()
    assert described["comment"].to_list() == ["it's a", "more", None]
    ddl = str(column(session, "SHOW CREATE TABLE other")[0])
    assert "`a` INT COMMENT 'it''s a',\n  `b` AS a + 1 COMMENT 'more'" in ddl
    session.execute("DROP TABLE other;" + ddl + ";")
    assert session.sql("DESCRIBE other").to_polars().equals(described)


def test_an_option_has_the_older_name_that_flink_takes(session: Session) -> None:
    session.execute("SET 'state.checkpoints.num-retained' = '3'")
    assert session.config["execution.checkpointing.num-retained"] == "3"
    session.execute("RESET 'state.checkpoints.num-retained'")
    assert session.config["execution.checkpointing.num-retained"] == "1"


def test_show_create_takes_its_kind_only(session: Session) -> None:
    session.execute("CREATE VIEW v AS SELECT k FROM e")
    assert code(session, "SHOW CREATE TABLE v") == "WRONG_KIND"
    assert code(session, "SHOW CREATE VIEW e") == "WRONG_KIND"


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("LIKE 'e_'", ["e1", "e2"]),
        ("LIKE 'e%'", ["e", "e1", "e2"]),
        ("NOT LIKE '%2'", ["e", "e1"]),
        ("LIKE 'E%'", []),
        ("ILIKE 'E%'", ["e", "e1", "e2"]),
        ("FROM default_database LIKE 'e1'", ["e1"]),
    ],
)
def test_show_lists_what_a_pattern_matches(
    session: Session, condition: str, names: list[str]
) -> None:
    session.execute("CREATE VIEW e1 AS SELECT 1 AS a; CREATE VIEW e2 AS SELECT 1 AS a")
    assert column(session, f"SHOW TABLES {condition}") == names


def test_hint_behind_the_table_of_insert_lays_options_over_its_own(
    session: Session, tmp_path: Path
) -> None:
    session.execute(
        f"CREATE TABLE o (a STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'x'}',"
        " 'format' = 'csv');"
        f"INSERT INTO o /*+ OPTIONS('path' = '{tmp_path / 'y'}') */ SELECT k FROM e WHERE n = 3"
    )
    assert written(tmp_path / "y") == ["a"]
    assert not (tmp_path / "x").exists()


def test_a_function_that_makes_frames_is_read_by_any_query() -> None:
    session = Session()
    session.register("t", lambda: (pl.DataFrame({"a": [number]}) for number in range(3)))
    for _ in range(2):
        assert session.sql("SELECT a FROM t").to_polars()["a"].to_list() == [0, 1, 2]


def test_a_list_of_frames_is_read_by_any_query_an_iterator_by_one() -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    session = Session()
    session.register("often", [frame, frame])
    session.register("once", iter([frame, frame]))
    for _ in range(2):
        assert column(session, "SELECT COUNT(*) FROM often") == [4]
    assert column(session, "SELECT COUNT(*) FROM once") == [4]
    with pytest.raises(UserError, match="FRAMES_SPENT"):
        column(session, "SELECT COUNT(*) FROM once")


def test_databases_hold_their_own_tables(session: Session) -> None:
    session.execute("CREATE DATABASE d; USE d; CREATE VIEW v AS SELECT 1 AS a")
    assert column(session, "SHOW TABLES") == ["v"]
    assert column(session, "SHOW TABLES FROM default_database") == ["e"]
    assert column(session, "SHOW CURRENT DATABASE") == ["d"]
    assert code(session, "SHOW TABLES FROM nowhere") == "UNKNOWN_DATABASE"
    session.execute("USE default_database; DROP VIEW d.v; DROP DATABASE d")
    assert column(session, "SHOW DATABASES") == ["default_database"]


def test_explain_is_a_statement_too(session: Session) -> None:
    text = column(session, "EXPLAIN SELECT k, COUNT(*) FROM e GROUP BY k")[0]
    assert "== Physical Plan ==" in str(text)


def test_explain_runs_no_job(session: Session, tmp_path: Path) -> None:
    out = tmp_path / "out"
    text = session.explain(f"{sink_ddl(out)}; INSERT INTO o SELECT k, n FROM e")
    assert "GroupAggregate" not in text
    assert not out.exists()


def test_explain_as_json_lists_all_jobs(session: Session) -> None:
    found = json.loads(session.explain("SELECT k FROM e; SELECT n FROM e", format="json"))
    assert [set(job) for job in found] == [{"logical", "physical"}] * 2


def test_explain_knows_two_formats(session: Session) -> None:
    with pytest.raises(UserError, match="BAD_FORMAT"):
        session.explain("SELECT 1", format="yaml")


# Jobs.


def sink_ddl(path: Path, name: str = "o") -> str:
    return (
        f"CREATE TABLE {name} (k STRING, n BIGINT) WITH ('connector' = 'filesystem',"
        f" 'path' = '{path}', 'format' = 'csv')"
    )


def written(path: Path) -> list[str]:
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return sorted(line for file in files for line in file.read_text().splitlines())


def test_insert_runs_to_its_end(session: Session, tmp_path: Path) -> None:
    script = f"{sink_ddl(tmp_path / 'out')}; INSERT INTO o SELECT k, n FROM e WHERE n > 1"
    *_, result = session.execute(script)
    assert isinstance(result.statement, Insert)
    assert result.to_polars().item() == "2"
    assert written(tmp_path / "out") == ["a,3", "b,2"]


def test_a_statement_set_is_one_job(session: Session, tmp_path: Path) -> None:
    session.execute(f"{sink_ddl(tmp_path / 'x', 'x')}; {sink_ddl(tmp_path / 'y', 'y')}")
    session.execute(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO x SELECT k, n FROM e WHERE n = 1;"
        " INSERT INTO y SELECT k, n FROM e WHERE n = 2; END"
    )
    assert (written(tmp_path / "x"), written(tmp_path / "y")) == (["a,1"], ["b,2"])


def test_create_table_as_fills_the_table(session: Session, tmp_path: Path) -> None:
    session.execute(
        f"CREATE TABLE o WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'out'}',"
        " 'format' = 'csv') AS SELECT k, n FROM e WHERE n = 3"
    )
    assert written(tmp_path / "out") == ["a,3"]
    assert column(session, "SHOW TABLES") == ["e", "o"]


def test_a_stopped_insert_keeps_what_was_written() -> None:
    session, stop = Session(), threading.Event()
    session.execute(
        "CREATE TABLE s (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000');"
        " CREATE TABLE o (n INT) WITH ('connector' = 'blackhole')"
    )
    seen: list[int] = []

    def watch(progress: object) -> None:
        seen.append(progress.rows_out)  # type: ignore[attr-defined]
        if seen[-1]:
            stop.set()

    (result,) = session.execute("INSERT INTO o SELECT n FROM s", stop=stop, progress=watch)
    assert result.to_polars().item() == str(seen[-1])


def test_a_failed_statement_ends_the_script(session: Session) -> None:
    assert code(session, "CREATE VIEW v AS SELECT k FROM e; SELECT x FROM v; DROP VIEW v") == (
        "UNKNOWN_COLUMN"
    )
    assert column(session, "SHOW VIEWS") == ["v"]


def test_sql_takes_one_statement(session: Session) -> None:
    with pytest.raises(UserError, match="ONE_STATEMENT"):
        session.sql("SELECT 1; SELECT 2")


def test_options_of_a_table_are_checked_when_it_is_declared(session: Session) -> None:
    ddl = "CREATE TABLE t (a INT) WITH ('connector' = 'print', 'colour' = 'red')"
    with pytest.raises(UserError, match="no option 'colour'") as caught:
        session.execute(ddl)
    assert caught.value.position is not None


def test_missing_options_are_told_when_the_table_is_used(session: Session) -> None:
    session.execute("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem')")
    assert code(session, "SELECT a FROM t") == "MISSING_OPTION"


def test_a_job_can_be_driven_by_hand(session: Session) -> None:
    class Out:
        def __init__(self) -> None:
            self.rows: list[tuple[object, ...]] = []

        def write(self, changes: Changes) -> None:
            self.rows += changes.rows.rows()

        def flush(self) -> None: ...

        def close(self) -> None: ...

        def abort(self) -> None: ...

    out = Out()
    (plan,) = session.plan("CREATE VIEW v AS SELECT n FROM e; SELECT n + 1 FROM v")
    job = session.job(plan, sink=out)
    (scan,) = job.sources
    assert isinstance(scan, Scan)
    job.push(scan, SourceBatch(Changes(pl.DataFrame({"n": [1]}, schema={"n": pl.Int64})), {}))
    assert out.rows == [(2,)]
    job.finish(scan)
    job.close()


@pytest.mark.parametrize("shards", ["1", "2", "3"])
def test_shards_do_not_change_answers(session: Session, shards: str) -> None:
    frame = pl.DataFrame({"k": [i % 7 for i in range(1000)], "n": range(1000)})
    session.register("big", frame)
    session.execute(f"SET 'parallelism.default' = '{shards}'; SET 'sameriver.batch.rows' = '64'")
    table = session.sql("SELECT k, SUM(n) AS s, COUNT(*) AS c FROM big GROUP BY k").to_polars()
    expected = frame.group_by("k").agg(pl.col("n").sum().alias("s"), pl.len().alias("c"))
    assert sorted(table.rows()) == sorted(expected.rows())
