"""CREATE TABLE, LIKE, AS SELECT, INSERT INTO."""

from __future__ import annotations

import pytest
from binding import DDL, bind

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.bind import bind_table
from sameriver.plan.catalog import Catalog
from sameriver.plan.expressions import to_sql
from sameriver.plan.table import MetadataColumn, Table
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable


def _table(script: str) -> Table:
    """The last table that a script declares."""
    catalog = Catalog()
    table: Table | None = None
    for statement in parse_script(script):
        assert isinstance(statement, CreateTable)
        table = bind_table(statement, catalog, Config())
        catalog.add(statement.name.parts, table)
    assert table is not None
    return table


def _shown(table: Table) -> list[str]:
    return [f"{field.name} {field.type}" for field in table.schema]


def _insert(statement: str) -> logical.Insert:
    plan = bind(f"{DDL}{statement};")
    assert isinstance(plan, logical.Insert)
    return plan


def _values(plan: logical.Insert) -> list[str]:
    assert isinstance(plan.input, logical.Project)
    return [f"{c.name} = {to_sql(c.expression)}" for c in plan.input.columns]


def test_columns_of_all_kinds() -> None:
    table = _table(
        "CREATE TABLE t (a INT, m BIGINT METADATA FROM 'offset' VIRTUAL, b AS a + m, "
        "p AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, "
        "PRIMARY KEY (a) NOT ENFORCED) COMMENT 'x' PARTITIONED BY (a) WITH ('connector' = 'y');"
    )
    assert _shown(table) == [
        "a INT NOT NULL",
        "m BIGINT",
        "b BIGINT",
        "p TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*",
        "ts TIMESTAMP(3) *ROWTIME*",
    ]
    assert [f.name for f in table.physical] == ["a", "m", "ts"]
    assert str(table.physical[2].type) == "TIMESTAMP(3)"
    assert [c.name for c in table.computed] == ["b", "p"]
    assert table.metadata == (MetadataColumn("m", "offset", True),)
    assert table.watermark is not None
    assert table.watermark.expression is not None
    assert to_sql(table.watermark.expression).startswith("(ts - ")
    assert (table.primary_key, table.partitioned_by) == (("a",), ("a",))
    assert (table.comment, table.connector) == ("x", "y")


def test_a_key_may_stand_at_its_column() -> None:
    table = _table("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, b INT);")
    assert table.primary_key == ("a",)
    assert _shown(table) == ["a INT NOT NULL", "b INT"]


def test_the_source_may_give_the_watermark() -> None:
    table = _table("CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK());")
    assert table.watermark is not None
    assert table.watermark.expression is None


def test_a_computed_column_may_carry_event_time() -> None:
    table = _table(
        "CREATE TABLE t (x BIGINT, ts AS TO_TIMESTAMP_LTZ(x, 3), WATERMARK FOR ts AS ts);"
    )
    assert _shown(table) == ["x BIGINT", "ts TIMESTAMP_LTZ(3) *ROWTIME*"]


_BASE = (
    "CREATE TABLE base (a INT, b AS a + 1, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, "
    "PRIMARY KEY (a) NOT ENFORCED) PARTITIONED BY (a) WITH ('connector' = 'x', 'k' = '1');"
)


def test_like_takes_everything_over() -> None:
    table = _table(f"{_BASE} CREATE TABLE t (c INT) WITH ('k' = '2') LIKE base;")
    assert _shown(table) == [
        "a INT NOT NULL",
        "b INT NOT NULL",
        "ts TIMESTAMP(3) *ROWTIME*",
        "c INT",
    ]
    assert (table.primary_key, table.partitioned_by) == (("a",), ("a",))
    assert table.options == {"connector": "x", "k": "2"}
    assert table.name == "t"


def test_like_leaves_out_what_it_is_told_to() -> None:
    table = _table(f"{_BASE} CREATE TABLE t WITH ('k' = '2') LIKE base (EXCLUDING ALL);")
    assert [f.name for f in table.schema] == ["a", "ts"]
    assert (table.watermark, table.primary_key, table.partitioned_by) == (None, (), ())
    assert table.options == {"k": "2"}


def test_like_overwrites_what_it_is_told_to() -> None:
    table = _table(
        f"{_BASE} CREATE TABLE t (b AS 'x', WATERMARK FOR ts AS ts - INTERVAL '1' DAY) "
        "LIKE base (OVERWRITING GENERATED OVERWRITING WATERMARKS);"
    )
    assert _shown(table)[1] == "b CHAR(1) NOT NULL"
    assert table.watermark is not None
    assert table.watermark.expression is not None
    assert "-" in to_sql(table.watermark.expression)


def test_a_table_of_another_database_has_a_dotted_name() -> None:
    catalog = Catalog()
    catalog.create_database(("db",))
    (create,) = parse_script("CREATE TABLE db.t (a INT);")
    assert isinstance(create, CreateTable)
    assert bind_table(create, catalog, Config()).name == "default_catalog.db.t"


def test_create_as_takes_the_columns_of_the_query() -> None:
    plan = _insert("CREATE TABLE t WITH ('connector' = 'x') AS SELECT k, ts, 1 AS x FROM Orders")
    assert _shown(plan.table) == ["k STRING", "ts TIMESTAMP(3)", "x INT NOT NULL"]
    assert plan.table.options == {"connector": "x"}


def test_insert_casts_to_the_types_of_the_table() -> None:
    plan = _insert("INSERT INTO Sink SELECT k, qty, qty FROM Orders")
    assert _values(plan) == [
        "k = k",
        "n = CAST(qty AS BIGINT)",
        "p = CAST(qty0 AS DECIMAL(20, 4))",
    ]


def test_insert_cuts_strings_to_the_length_of_the_column() -> None:
    plan = bind(f"{DDL}CREATE TABLE s (a VARCHAR(3)); INSERT INTO s SELECT k FROM Other;")
    assert isinstance(plan, logical.Insert)
    assert _values(plan) == ["a = CAST(k AS VARCHAR(3))"]


def test_insert_orders_listed_columns_and_fills_others_with_null() -> None:
    assert _values(_insert("INSERT INTO Sink (n, k) SELECT n, k FROM Other")) == [
        "k = k",
        "n = n",
        "p = NULL",
    ]


def test_partition_constants_are_columns() -> None:
    plan = _insert("INSERT INTO Sink PARTITION (k = 'x') SELECT n, 1.5 FROM Other")
    assert [v.split(" = ")[0] for v in _values(plan)] == ["k", "n", "p"]
    assert _values(plan)[0] == "k = 'x'"


def test_a_query_that_fits_is_inserted_as_it_is() -> None:
    plan = _insert("INSERT INTO Sink SELECT k, n, CAST(n AS DECIMAL(20, 4)) AS p FROM Other")
    assert plan.schema.names == ("k", "n", "p")
    assert plan.table.name == "Sink"


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("BOOLEAN", "BOOLEAN"),
        ("TINYINT", "TINYINT INT BIGINT FLOAT DOUBLE DECIMAL(10,2)"),
        ("INT", "INT BIGINT FLOAT DOUBLE DECIMAL(10,2)"),
        ("BIGINT", "BIGINT FLOAT DOUBLE DECIMAL(10,2)"),
        ("FLOAT", "FLOAT DOUBLE DECIMAL(10,2)"),
        ("DOUBLE", "DOUBLE DECIMAL(10,2)"),
        ("DECIMAL(10,2)", "DECIMAL(10,2) FLOAT DOUBLE"),
        ("CHAR(3)", "CHAR(3) VARCHAR(5) STRING"),
        ("STRING", "VARCHAR(5) STRING"),
        ("BYTES", "BYTES"),
        ("DATE", "DATE"),
        ("TIME(0)", "TIME(0)"),
        ("TIMESTAMP(3)", "DATE TIME(0) TIMESTAMP(3) TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP(3) TIMESTAMP_LTZ(3)"),
        ("ARRAY<INT>", "ARRAY<INT>"),
    ],
)
def test_what_a_sink_takes_without_cast(given: str, taken: str) -> None:
    accepted = {column for column in _SINKS if _fits(given, column)}
    assert accepted == {column for column in taken.split() if column in _SINKS}


_SINKS = (
    "BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "CHAR(3)",
    "VARCHAR(5)", "STRING", "BINARY(2)", "BYTES", "DATE", "TIME(0)", "TIMESTAMP(3)",
    "TIMESTAMP_LTZ(3)", "ARRAY<INT>", "ARRAY<STRING>",
)  # fmt: skip


def _fits(given: str, column: str) -> bool:
    script = (
        f"CREATE TABLE a (x {given}); CREATE TABLE b (x {column}); INSERT INTO b SELECT * FROM a;"
    )
    try:
        bind(script)
    except UserError as error:
        return error.code != "SINK_TYPES"
    return True
