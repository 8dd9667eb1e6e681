"""Which physical nodes a query becomes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from planned import (
    ORDERS,
    aggregate,
    all_of,
    call,
    column,
    find,
    group,
    kinds_of,
    number,
    plan,
    scan,
    select,
    where,
)

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.common.types import INT, STRING
from sameriver.plan import logical
from sameriver.plan.expressions import Literal
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.node import ALL_KINDS, INSERT_ONLY
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.planner import plan_job


def test_only_columns_that_are_read_are_scanned() -> None:
    assert find(plan(select(scan(), a="k")), Scan).schema.names == ("k",)


def test_a_count_scans_one_cheap_column() -> None:
    assert find(plan(group(scan(), (), aggregate("n", "COUNT"))), Scan).schema.names == ("id",)


def test_a_filter_and_a_projection_are_one_calc() -> None:
    orders = scan()
    node = plan(select(where(orders, call(">", column(orders, "qty"), number(1))), a="k"))
    assert kinds_of(node) == ["Calc", "Scan"]


def test_a_computed_column_is_computed_above_the_scan() -> None:
    node = plan(select(scan(), k="k", proc="proc"))
    assert kinds_of(node) == ["Calc", "Scan"]


def test_watermarks_are_assigned_where_the_event_time_is_read() -> None:
    assert kinds_of(plan(select(scan(), k="k"))) == ["Scan"]
    assert kinds_of(plan(select(scan(), ts="ts"))) == ["WatermarkAssigner", "Scan"]


def test_a_filter_stays_above_the_watermarks() -> None:
    orders = scan()
    late = where(orders, call(">", column(orders, "qty"), number(1)))
    assert kinds_of(plan(select(late, ts="ts"))) == ["Calc", "WatermarkAssigner", "Scan"]


@pytest.mark.parametrize(("strategy", "on_event"), [("on-event", True), ("on-periodic", False)])
def test_a_table_option_tells_when_watermarks_move(strategy: str, on_event: bool) -> None:
    hinted = logical.Scan(
        table=ORDERS,
        options=(("scan.watermark.emit.strategy", strategy),),
        schema=ORDERS.schema,
    )
    assert find(plan(hinted), WatermarkAssigner).on_event is on_event


def test_the_configuration_tells_when_watermarks_move() -> None:
    config = Config({"scan.watermark.emit.strategy": "on-event"})
    assert find(plan_job([scan()], config)[0], WatermarkAssigner).on_event


def test_an_unknown_watermark_strategy_is_refused() -> None:
    with pytest.raises(UserError, match="sometimes"):
        plan_job([scan()], Config({"scan.watermark.emit.strategy": "sometimes"}))


def test_arguments_become_columns_and_equal_ones_share() -> None:
    orders = scan()
    double = call("*", column(orders, "qty"), number(2), type=INT)
    calls = (aggregate("s", "SUM", double), aggregate("m", "MAX", double))
    node = plan(group(orders, ("k",), *calls))
    assert find(node, Calc).schema.names == ("k", "$f")
    assert [str(c.args[0]) for c in find(node, GroupAggregate).calls] == [
        str(column(find(node, Calc), "$f")),
    ] * 2


def test_equal_calls_are_computed_once() -> None:
    orders = scan()
    node = plan(group(orders, ("k",), aggregate("a", "COUNT"), aggregate("b", "COUNT")))
    assert node.schema.names == ("k", "a", "b")
    assert len(find(node, GroupAggregate).calls) == 1


def test_a_having_is_a_filter_above() -> None:
    grouped = group(scan(), ("k",), aggregate("n", "COUNT"))
    node = plan(where(grouped, call(">", column(grouped, "n"), number(1))))
    assert kinds_of(node) == ["Calc", "GroupAggregate", "Scan"]


def test_a_filter_on_keys_goes_below_the_aggregation() -> None:
    grouped = group(scan(), ("k",), aggregate("n", "COUNT"))
    a = Literal("a", STRING)
    node = plan(where(grouped, call("=", column(grouped, "k"), a)))
    assert kinds_of(node) == ["GroupAggregate", "Calc", "Scan"]


def test_an_aggregate_of_an_aggregate_retracts() -> None:
    inner = group(scan(), ("k",), aggregate("n", "COUNT"))
    node = plan(group(inner, ("n",), aggregate("m", "COUNT")))
    assert [a.retract for a in all_of(node, GroupAggregate)] == [True, False]
    assert node.changelog == ALL_KINDS


def test_a_changelog_source_makes_the_aggregation_retract() -> None:
    roots = plan_job(
        [group(scan(), ("k",), aggregate("n", "COUNT"))], Config(), lambda table: ALL_KINDS
    )
    assert find(roots[0], GroupAggregate).retract


@pytest.mark.parametrize(
    ("text", "ttl"),
    [("0", None), ("250", timedelta(milliseconds=250)), ("1 h", timedelta(hours=1))],
)
def test_the_ttl_comes_from_the_configuration(text: str, ttl: timedelta | None) -> None:
    node = plan(group(scan(), ("k",), aggregate("n", "COUNT")), ttl=text)
    assert find(node, GroupAggregate).ttl == ttl


def test_a_hint_overrides_the_ttl() -> None:
    node = plan(group(scan(), ("k",), aggregate("n", "COUNT"), ttl="2s"), ttl="1 h")
    assert find(node, GroupAggregate).ttl == timedelta(seconds=2)


def test_mini_batch_folds_changes() -> None:
    query = group(scan(), ("k",), aggregate("n", "COUNT"))
    assert find(plan(query), GroupAggregate).folded
    assert not find(plan(query, minibatch="false"), GroupAggregate).folded


def test_grouping_sets_expand_and_keep_arguments_whole() -> None:
    orders = scan()
    most = aggregate("m", "MAX", column(orders, "qty"))
    node = plan(group(orders, ("k", "qty"), most, sets=(("k",), ("qty",), ())))
    assert kinds_of(node) == ["Calc", "GroupAggregate", "Expand", "Calc", "Scan"]
    grouped = find(node, GroupAggregate)
    assert grouped.keys == ("k", "qty", "$e")
    assert grouped.calls[0].args == (column(find(node, Expand), "qty0"),)
    assert node.schema.names == ("k", "qty", "m")


def test_one_grouping_set_of_all_keys_is_a_group_by() -> None:
    node = plan(group(scan(), ("k",), aggregate("n", "COUNT"), sets=(("k",),)))
    assert kinds_of(node) == ["GroupAggregate", "Scan"]


def test_a_repeated_grouping_set_is_refused() -> None:
    query = group(scan(), ("k",), aggregate("n", "COUNT"), sets=(("k",), ("k",)))
    with pytest.raises(UserError, match="twice"):
        plan(query)


def test_queries_of_a_job_share_the_scan_of_a_table() -> None:
    roots = plan_job([select(scan(), k="k"), select(scan(), id="id")], Config())
    first, second = (find(root, Scan) for root in roots)
    assert first == second
    assert first.schema.names == ("id", "k")


def test_an_insert_only_sink_refuses_updates() -> None:
    query = group(scan(), ("k",), aggregate("n", "COUNT"))
    insert = logical.Insert(input=query, table=ORDERS)
    with pytest.raises(UserError) as raised:
        plan_job([insert], Config(), accepted=lambda table: INSERT_ONLY)
    assert raised.value.code == "UPDATES_NOT_SUPPORTED"
    assert "Table sink 'orders' doesn't support consuming update changes" in raised.value.message
    assert "produced by node GroupAggregate(" in raised.value.message
    assert raised.value.hint


def test_a_sink_that_takes_changes_takes_them() -> None:
    query = group(scan(), ("k",), aggregate("n", "COUNT"))
    (root,) = plan_job([logical.Insert(input=query, table=ORDERS)], Config())
    assert root.table == ORDERS


def test_unused_calls_are_not_computed() -> None:
    grouped = group(scan(), ("k",), aggregate("n", "COUNT"), aggregate("m", "COUNT", distinct=True))
    node = plan(select(grouped, k="k", n="n"))
    assert [c.name for c in find(node, GroupAggregate).calls] == ["n"]
