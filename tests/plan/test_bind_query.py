"""SELECT, WHERE, set operations, views: names, types and NULL."""

from __future__ import annotations

import pytest
from binding import DDL, bind, columns, types

from sameriver.common.errors import UserError
from sameriver.common.types import INT, STRING
from sameriver.plan import logical
from sameriver.plan.catalog import Catalog
from sameriver.plan.expressions import Call, Column, Literal, to_sql


def _expression(text: str) -> str:
    plan = bind(f"{DDL}SELECT {text} AS x FROM Orders;")
    assert isinstance(plan, logical.Project)
    return to_sql(plan.columns[0].expression)


@pytest.mark.parametrize(
    ("literal", "type"),
    [
        ("1", "INT NOT NULL"),
        ("-2147483648", "INT NOT NULL"),
        ("-9223372036854775808", "BIGINT NOT NULL"),
        ("3000000000", "BIGINT NOT NULL"),
        ("1.5", "DECIMAL(2, 1) NOT NULL"),
        ("0.5", "DECIMAL(2, 1) NOT NULL"),
        (".25", "DECIMAL(2, 2) NOT NULL"),
        ("1e3", "DOUBLE NOT NULL"),
        ("'abc'", "CHAR(3) NOT NULL"),
        ("TRUE", "BOOLEAN NOT NULL"),
        ("NULL", "NULL"),
        ("DATE '2026-01-31'", "DATE NOT NULL"),
        ("TIME '10:00:00'", "TIME(0) NOT NULL"),
        ("TIMESTAMP '2026-01-31 10:00:00'", "TIMESTAMP(0) NOT NULL"),
        ("TIMESTAMP '2026-01-31 10:00:00.123'", "TIMESTAMP(3) NOT NULL"),
        ("INTERVAL '1' DAY", "INTERVAL DAY TO SECOND NOT NULL"),
        ("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL YEAR TO MONTH NOT NULL"),
        ("CAST(NULL AS INT)", "INT"),
        ("CAST('1' AS INT)", "INT NOT NULL"),
        ("TRY_CAST('1' AS INT)", "INT"),
    ],
)
def test_literals_have_the_types_of_flink(literal: str, type: str) -> None:
    assert types(f"SELECT {literal}") == [type]


@pytest.mark.parametrize(
    ("expression", "type"),
    [
        ("qty + 1", "INT"),
        ("id / 2", "BIGINT"),
        ("price * qty", "DECIMAL(21, 2)"),
        ("ts - INTERVAL '1' DAY", "TIMESTAMP(3)"),
        ("ts", "TIMESTAMP(3) *ROWTIME*"),
        ("(ts)", "TIMESTAMP(3) *ROWTIME*"),
        ("CAST(ts AS TIMESTAMP(3))", "TIMESTAMP(3)"),
        ("proc", "TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*"),
        ("r.b.c", "STRING"),
        ("Orders.r.a", "INT"),
        ("r.b.arr[1]", "INT"),
        ("m['k']", "INT"),
        ("qty > 1 AND k = 'a'", "BOOLEAN"),
        ("qty IS NOT NULL", "BOOLEAN NOT NULL"),
        ("CASE WHEN qty > 1 THEN 'big' ELSE 'small' END", "VARCHAR(5) NOT NULL"),
        ("CASE k WHEN 'a' THEN 1 END", "INT"),
        ("COALESCE(qty, 0)", "INT NOT NULL"),
        ("JSON_VALUE(k, '$.a' RETURNING INT DEFAULT 0 ON EMPTY)", "INT"),
        ("JSON_OBJECT('a' VALUE k)", "STRING NOT NULL"),
        ("EXTRACT(HOUR FROM ts)", "BIGINT"),
        ("ARRAY[1, 2]", "ARRAY<INT NOT NULL> NOT NULL"),
    ],
)
def test_expressions_have_the_types_of_flink(expression: str, type: str) -> None:
    assert types(f"SELECT {expression} FROM Orders") == [type]


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        ("qty BETWEEN 1 AND 5", "((qty >= 1) AND (qty <= 5))"),
        ("qty NOT IN (1, 2)", "NOT(IN(qty, 1, 2))"),
        ("qty IN (1)", "(qty = 1)"),
        ("-(5)", "-5"),
        ("NOT (qty IS NULL)", "NOT((qty IS NULL))"),
        ("qty IS NOT NULL", "(qty IS NOT NULL)"),
        ("id + qty", "(id + CAST(qty AS BIGINT))"),
        ("id + 1", "(id + 1)"),
        ("CASE k WHEN 'a' THEN 1 ELSE 2 END", "CASE WHEN (k = 'a') THEN 1 ELSE 2 END"),
    ],
)
def test_expressions_are_canonical(written: str, bound: str) -> None:
    assert _expression(written) == bound


def test_a_chain_of_and_is_one_call() -> None:
    plan = bind(f"{DDL}SELECT k FROM Orders WHERE qty > 1 AND (k = 'a') AND id < 3;")
    assert isinstance(plan, logical.Project)
    assert isinstance(plan.input, logical.Filter)
    condition = plan.input.condition
    assert isinstance(condition, Call)
    assert (condition.function, len(condition.args)) == ("AND", 3)


def test_a_long_chain_of_or_needs_no_deep_stack() -> None:
    conditions = " OR ".join(f"qty = {number}" for number in range(3000))
    assert columns(f"SELECT k FROM Orders WHERE {conditions}") == ["k STRING"]


def test_what_nests_too_deeply_is_refused() -> None:
    with pytest.raises(UserError, match="nest too deeply"):
        bind(f"SELECT {' + '.join(['1'] * 5000)};")


def test_columns_without_a_name_are_numbered_by_place() -> None:
    assert columns("SELECT k, 1, qty + 1 FROM Orders") == [
        "k STRING",
        "EXPR$1 INT NOT NULL",
        "EXPR$2 INT",
    ]


def test_the_second_column_of_a_name_gets_a_number() -> None:
    plan = bind(f"{DDL}SELECT k, k, k, n AS k FROM Other;")
    assert plan.schema.names == ("k", "k0", "k1", "k2")


def test_stars_spread_in_order() -> None:
    names = bind(f"{DDL}SELECT n, o.*, * FROM Other AS o;").schema.names
    assert names == ("n", "k", "n0", "lt", "k0", "n1", "lt0")


def test_a_star_spreads_the_fields_of_a_row() -> None:
    assert columns("SELECT r.*, Orders.r.b.* FROM Orders") == [
        "a INT",
        "b ROW<`c` STRING, `arr` ARRAY<INT>>",
        "c STRING",
        "arr ARRAY<INT>",
    ]


def test_a_table_may_be_named_like_a_row_of_it() -> None:
    assert columns("SELECT r.a, r.k FROM Orders AS r") == ["a INT", "k STRING"]


def test_the_field_of_a_row_names_its_column() -> None:
    query = "SELECT r.b.c, r.a AS x, (r.b).c, (k), r.b.arr[1] FROM Orders"
    assert bind(f"{DDL}{query};").schema.names == ("c", "x", "EXPR$2", "k", "EXPR$4")


def test_a_call_without_parentheses_names_its_column() -> None:
    assert bind("SELECT CURRENT_DATE, PROCTIME();").schema.names == ("CURRENT_DATE", "EXPR$1")


def test_a_table_can_be_named_in_full() -> None:
    name = "default_catalog.default_database.Other"
    assert columns(f"SELECT {name}.k FROM {name}") == ["k STRING NOT NULL"]


def test_a_qualifier_goes_before_a_column_of_that_name() -> None:
    assert columns("SELECT r.k FROM Other AS r") == ["k STRING NOT NULL"]


def test_an_alias_renames_columns() -> None:
    query = "SELECT a, t.b FROM (SELECT k, qty FROM Orders) AS t (a, b) WHERE a = 'x'"
    assert columns(query) == ["a STRING", "b INT"]


def test_with_queries_see_those_before() -> None:
    query = "WITH x (a) AS (SELECT k FROM Orders), y AS (SELECT a FROM x) SELECT * FROM y"
    assert columns(query) == ["a STRING"]


def test_a_with_query_hides_a_table() -> None:
    assert columns("WITH Orders AS (SELECT 1 AS a) SELECT * FROM Orders") == ["a INT NOT NULL"]


def test_a_with_query_used_twice_is_the_same_plan() -> None:
    plan = bind(f"{DDL}WITH x AS (SELECT k FROM Orders) SELECT * FROM x UNION ALL SELECT * FROM x;")
    assert isinstance(plan, logical.Union)
    assert plan.inputs[0] == plan.inputs[1]


def test_a_view_is_expanded() -> None:
    plan = bind(f"{DDL}CREATE VIEW v (a) AS SELECT k FROM Orders; SELECT v.a FROM v;")
    assert isinstance(plan, logical.Project)
    assert plan.schema.names == ("a",)
    assert plan.columns[0].expression == Column("a", STRING)


def test_a_view_of_a_view_that_is_replaced_by_it_is_refused() -> None:
    script = (
        "CREATE VIEW v AS SELECT 1 AS a; CREATE VIEW w AS SELECT * FROM v;"
        "CREATE OR REPLACE VIEW v AS SELECT * FROM w; SELECT * FROM v;"
    )
    with pytest.raises(UserError, match="is defined by itself"):
        bind(script)


def test_an_error_inside_a_view_stands_where_the_view_is_used() -> None:
    catalog = Catalog()
    bind("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; SELECT 1;", catalog)
    catalog.drop("TABLE", ("t",))
    with pytest.raises(UserError, match="in view 'v': there is no table or view 't'") as caught:
        bind("SELECT * FROM v;", catalog)
    assert caught.value.position is not None
    assert caught.value.position.column == 15


def test_a_query_without_from_has_one_row() -> None:
    plan = bind("SELECT 1 AS a;")
    assert isinstance(plan, logical.Project)
    assert isinstance(plan.input, logical.Values)
    assert len(plan.input.rows) == 1


def test_a_union_takes_the_names_of_the_first_and_the_common_types() -> None:
    query = "SELECT k, qty FROM Orders UNION ALL SELECT k, n FROM Other UNION ALL VALUES ('x', 1)"
    assert columns(query) == ["k STRING", "qty BIGINT"]


def test_a_chain_of_union_all_is_one_node() -> None:
    plan = bind(f"{DDL}{' UNION ALL '.join(['SELECT k FROM Other'] * 2000)};")
    assert isinstance(plan, logical.Union)
    assert len(plan.inputs) == 2000


def test_union_without_all_makes_rows_distinct() -> None:
    plan = bind(f"{DDL}SELECT k FROM Other UNION SELECT k FROM Other;")
    assert isinstance(plan, logical.Aggregate)
    assert (plan.keys, plan.calls) == (("k",), ())
    assert isinstance(plan.input, logical.Union)


def test_a_union_keeps_a_time_attribute_that_all_have() -> None:
    assert types("SELECT ts FROM Orders UNION ALL SELECT ts FROM Orders") == [
        "TIMESTAMP(3) *ROWTIME*"
    ]
    plain = "SELECT ts FROM Orders UNION ALL SELECT CAST(ts AS TIMESTAMP(3)) FROM Orders"
    assert types(plain) == ["TIMESTAMP(3)"]


def test_values_have_common_types() -> None:
    assert columns("VALUES (1, 'a'), (3000000000, NULL)") == [
        "EXPR$0 BIGINT NOT NULL",
        "EXPR$1 CHAR(1)",
    ]


def test_options_of_a_hint_reach_the_scan() -> None:
    plan = bind(f"{DDL}SELECT k FROM Other /*+ OPTIONS('a' = 'b') */;")
    assert isinstance(plan, logical.Project)
    assert isinstance(plan.input, logical.Scan)
    assert plan.input.options == (("a", "b"),)


def test_select_distinct_groups_by_all_columns() -> None:
    plan = bind(f"{DDL}SELECT DISTINCT k, qty FROM Orders;")
    assert isinstance(plan, logical.Aggregate)
    assert (plan.keys, plan.calls) == (("k", "qty"), ())


def test_a_null_literal_takes_the_type_of_its_place() -> None:
    plan = bind(f"{DDL}SELECT COALESCE(qty, NULL) AS a FROM Orders;")
    assert isinstance(plan, logical.Project)
    sum = plan.columns[0].expression
    assert isinstance(sum, Call)
    assert sum.args[1] == Literal(None, INT)
