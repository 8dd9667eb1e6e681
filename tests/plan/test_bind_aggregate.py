"""GROUP BY, HAVING, grouping sets, hints of state."""

from __future__ import annotations

import pytest
from binding import DDL, bind, columns, types

from sameriver.plan import logical
from sameriver.plan.expressions import to_sql
from sameriver.plan.logical import Logical, inputs


def _aggregate(query: str) -> logical.Aggregate:
    node: Logical = bind(f"{DDL}{query};")
    while not isinstance(node, logical.Aggregate):
        (node,) = inputs(node)
    return node


@pytest.mark.parametrize(
    ("call", "keyed", "alone"),
    [
        ("COUNT(*)", "BIGINT NOT NULL", "BIGINT NOT NULL"),
        ("SUM(n)", "BIGINT", "BIGINT"),
        ("MAX(k)", "STRING NOT NULL", "STRING"),
        ("MAX(k) FILTER (WHERE n > 1)", "STRING", "STRING"),
        ("MIN(lt)", "TIMESTAMP_LTZ(3) *ROWTIME*", "TIMESTAMP_LTZ(3) *ROWTIME*"),
        ("AVG(CAST(n AS DECIMAL(10, 2)))", "DECIMAL(38, 6)", "DECIMAL(38, 6)"),
    ],
)
def test_results_are_nullable_as_in_flink(call: str, keyed: str, alone: str) -> None:
    assert types(f"SELECT {call} FROM Other GROUP BY n") == [keyed]
    assert types(f"SELECT {call} FROM Other") == [alone]


def test_calls_go_by_their_alias_and_keys_by_their_column() -> None:
    node = _aggregate("SELECT k AS a, SUM(qty) AS total FROM Orders GROUP BY k")
    assert node.keys == ("k",)
    assert node.schema.names == ("k", "total")


def test_equal_calls_are_one() -> None:
    node = _aggregate("SELECT k, SUM(qty), 1 + SUM(qty) FROM Orders GROUP BY k HAVING SUM(qty) > 1")
    assert len(node.calls) == 1


def test_a_call_named_like_a_key_gets_a_name_of_its_own() -> None:
    query = "SELECT COUNT(*) AS k, k AS x FROM Orders GROUP BY k"
    assert _aggregate(query).schema.names == ("k", "k0")
    assert columns(query) == ["k BIGINT NOT NULL", "x STRING"]


def test_an_expression_may_be_a_key_and_be_built_upon() -> None:
    query = "SELECT UPPER(k), (qty + 1) * 2 FROM Orders GROUP BY UPPER(k), Orders.qty + 1"
    assert types(query) == ["STRING", "INT"]
    node = _aggregate(query)
    assert isinstance(node.input, logical.Project)
    added = [to_sql(c.expression) for c in node.input.columns if c.name in node.keys]
    assert added == ["UPPER(k)", "(qty + 1)"]


def test_a_constant_may_be_a_key() -> None:
    assert columns("SELECT k, COUNT(*) AS c FROM Other GROUP BY k, 'x'") == [
        "k STRING NOT NULL",
        "c BIGINT NOT NULL",
    ]


def test_a_field_of_a_grouped_row_is_grouped() -> None:
    assert columns("SELECT r.b.c FROM Orders GROUP BY r") == ["c STRING"]
    assert columns("SELECT r.a, COUNT(*) FROM Orders GROUP BY r.a") == [
        "a INT",
        "EXPR$1 BIGINT NOT NULL",
    ]


def test_an_alias_may_hide_a_group_column() -> None:
    query = (
        "SELECT UNIX_TIMESTAMP(CAST(window_end AS STRING)) * 1000 AS window_end, window_start, "
        "SUM(qty) AS total, COUNT(DISTINCT id) AS ids "
        "FROM TABLE(CUMULATE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '60' SECOND, "
        "INTERVAL '1' DAY)) GROUP BY window_start, window_end"
    )
    assert columns(query) == [
        "window_end BIGINT NOT NULL",
        "window_start TIMESTAMP(3) NOT NULL",
        "total INT",
        "ids BIGINT NOT NULL",
    ]
    assert _aggregate(query).keys == ("window_start", "window_end")


def test_having_filters_above_the_aggregation() -> None:
    plan = bind(f"{DDL}SELECT k FROM Orders GROUP BY k HAVING COUNT(*) > 1;")
    assert isinstance(plan, logical.Project)
    assert isinstance(plan.input, logical.Filter)
    assert to_sql(plan.input.condition) == "(count > 1)"


def test_arguments_are_cast_and_filters_bound() -> None:
    node = _aggregate("SELECT SUM(DISTINCT qty + id) FILTER (WHERE k = 'a') FROM Orders")
    (call,) = node.calls
    assert call.distinct
    assert call.filter is not None
    assert to_sql(call.filter) == "(k = 'a')"
    assert to_sql(call.args[0]) == "(CAST(qty AS BIGINT) + id)"


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("k, qty", None),
        ("(k, qty)", None),
        ("ROLLUP(k, qty)", (("k", "qty"), ("k",), ())),
        ("ROLLUP((k, qty), id)", (("k", "qty", "id"), ("k", "qty"), ())),
        ("CUBE(k, qty)", (("k", "qty"), ("k",), ("qty",), ())),
        ("GROUPING SETS ((k), (qty), ())", (("k",), ("qty",), ())),
        ("GROUPING SETS (k, ROLLUP(qty))", (("k",), ("qty",), ())),
        ("id, GROUPING SETS ((k), ())", (("id", "k"), ("id",))),
        ("ROLLUP(k), ROLLUP(qty)", (("k", "qty"), ("k",), ("qty",), ())),
        ("GROUPING SETS ((k, qty))", None),
    ],
)
def test_grouping_sets(group: str, sets: tuple[tuple[str, ...], ...] | None) -> None:
    assert _aggregate(f"SELECT COUNT(*) FROM Orders GROUP BY {group}").sets == sets


def test_a_key_that_a_set_leaves_out_is_nullable() -> None:
    assert types("SELECT k, n FROM Other GROUP BY k, ROLLUP(n)") == ["STRING NOT NULL", "BIGINT"]
    assert types("SELECT k FROM Other GROUP BY ROLLUP(k)") == ["STRING"]


def test_grouping_calls_tell_the_set() -> None:
    query = "SELECT GROUPING(k), GROUPING_ID(k, qty), GROUP_ID() FROM Orders GROUP BY CUBE(k, qty)"
    assert types(query) == ["BIGINT NOT NULL"] * 3
    calls = [call.function for call in _aggregate(query).calls]
    assert calls == ["GROUPING", "GROUPING_ID", "GROUP_ID"]


def test_grouping_without_sets_is_zero() -> None:
    plan = bind(f"{DDL}SELECT GROUPING(k) FROM Orders GROUP BY k;")
    assert isinstance(plan, logical.Project)
    assert to_sql(plan.columns[0].expression) == "0"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("Orders", "Orders"),
        ("Orders AS o", "o"),
        ("w", "w"),
        ("(SELECT * FROM Orders) AS d", "d"),
        ("TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))", "Orders"),
    ],
)
def test_a_ttl_hint_names_what_the_block_reads(source: str, name: str) -> None:
    query = (
        "WITH w AS (SELECT k FROM Orders) "
        f"SELECT /*+ STATE_TTL('{name}' = '2 s') */ k, COUNT(*) FROM {source} GROUP BY k"
    )
    assert _aggregate(query).ttl_hint == "2 s"


def test_a_ttl_hint_stays_in_its_block() -> None:
    query = (
        "SELECT /*+ STATE_TTL('d' = '2 s') */ COUNT(*) FROM "
        "(SELECT k, COUNT(*) AS c FROM Orders GROUP BY k) AS d"
    )
    outer = _aggregate(query)
    assert outer.ttl_hint == "2 s"
    inner: Logical = outer.input
    while not isinstance(inner, logical.Aggregate):
        (inner,) = inputs(inner)
    assert inner.ttl_hint is None
