"""How windows and the aggregations over them are planned."""

from __future__ import annotations

import pytest
from planned import (
    MINUTE,
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
    window,
)

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import INT, STRING, timestamp
from sameriver.plan import logical
from sameriver.plan.expressions import Literal
from sameriver.plan.logical import Logical
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.physical.node import ALL_KINDS, PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.planner import plan_job
from sameriver.plan.window import Window, WindowKind, WindowProperty

BOUNDS = ("window_start", "window_end")
COUNT = aggregate("n", "COUNT")


def per_window(node: Logical, *keys: str) -> logical.Aggregate:
    return group(node, (*keys, *BOUNDS), COUNT)


def test_grouping_by_start_and_end_takes_the_window_in() -> None:
    node = plan(per_window(window(scan()), "k"))
    assert kinds_of(node) == ["Calc", "WindowAggregate", "WatermarkAssigner", "Scan"]
    assert node.schema.names == ("k", "window_start", "window_end", "n")
    found = find(node, WindowAggregate)
    assert found.keys == ("k",)
    assert found.window.time == "ts"
    assert found.attached is None
    assert find(node, Scan).schema.names == ("k", "ts")


@pytest.mark.parametrize("key", BOUNDS)
def test_grouping_by_one_bound_is_an_ordinary_aggregation(key: str) -> None:
    node = plan(group(window(scan()), (key,), COUNT))
    assert all_of(node, WindowAggregate) == []
    assert find(node, GroupAggregate).keys == (key,)


def test_window_time_is_one_more_property() -> None:
    node = plan(group(window(scan()), (*BOUNDS, "window_time"), COUNT))
    assert dict(find(node, WindowAggregate).properties) == {
        "window_start": WindowProperty.START,
        "window_end": WindowProperty.END,
        "window_time": WindowProperty.TIME,
    }


def test_the_time_column_is_carried_through_a_projection() -> None:
    windowed = window(scan())
    inner = select(windowed, key="k", a="window_start", b="window_end")
    node = plan(group(inner, ("key", "a", "b"), COUNT))
    found = find(node, WindowAggregate)
    assert found.attached is None
    assert found.window.time in found.input.schema
    assert dict(found.properties) == {"a": WindowProperty.START, "b": WindowProperty.END}
    assert node.schema.names == ("key", "a", "b", "n")


def test_a_computation_between_window_and_group_by_goes_below() -> None:
    windowed = window(scan())
    double = call("*", column(windowed, "qty"), number(2), type=INT)
    total = aggregate("s", "SUM", double, type=INT)
    node = plan(group(windowed, BOUNDS, total))
    assert find(node, WindowAggregate).attached is None
    assert find(node, WindowAggregate).calculated
    assert not find(plan(per_window(windowed, "k")), WindowAggregate).calculated


def test_a_computation_below_the_window_is_not_between() -> None:
    orders = scan()
    double = call("*", column(orders, "qty"), number(2), type=INT)
    windowed = window(select(orders, double=double, ts="ts"))
    total = aggregate("s", "SUM", column(windowed, "double"), type=INT)
    assert not find(plan(group(windowed, BOUNDS, total)), WindowAggregate).calculated


def test_a_filter_between_window_and_group_by_goes_below() -> None:
    windowed = window(scan())
    some = where(windowed, call(">", column(windowed, "qty"), number(1)))
    node = plan(per_window(some, "k"))
    assert kinds_of(node) == ["Calc", "WindowAggregate", "Calc", "WatermarkAssigner", "Scan"]


def test_a_filter_on_window_columns_goes_above() -> None:
    windowed = window(scan())
    at = column(windowed, "window_start")
    late = where(windowed, call(">", at, Literal(None, timestamp(3))))
    node = plan(per_window(late, "k"))
    assert kinds_of(node) == ["Calc", "WindowAggregate", "WatermarkAssigner", "Scan"]
    assert "where" in dict(node.details())


def test_a_filter_on_window_and_other_columns_keeps_the_window_call() -> None:
    windowed = window(scan())
    condition = call("<", column(windowed, "ts"), column(windowed, "window_end"))
    node = plan(per_window(where(windowed, condition), "k"))
    assert find(node, WindowAggregate).attached == BOUNDS
    assert len(all_of(node, WindowTable)) == 1


def test_an_aggregate_of_window_columns_keeps_the_window_call() -> None:
    windowed = window(scan())
    last = aggregate("m", "MAX", column(windowed, "window_end"), type=timestamp(3))
    assert find(plan(group(windowed, BOUNDS, last)), WindowAggregate).attached == BOUNDS


def test_a_cascade_in_the_same_window_is_attached() -> None:
    inner = per_window(window(scan()), "k", "qty")
    node = plan(per_window(inner, "k"))
    outer, first = all_of(node, WindowAggregate)
    assert outer.attached == BOUNDS
    assert first.attached is None


def test_a_cascade_in_another_window_cuts_window_time() -> None:
    inner = group(window(scan()), ("k", *BOUNDS, "window_time"), COUNT)
    outer = window(inner, time="window_time", size=2 * MINUTE)
    node = plan(group(outer, ("window_start0", "window_end0"), aggregate("m", "COUNT")))
    second, first = all_of(node, WindowAggregate)
    assert (second.attached, second.window.time) == (None, "window_time")
    assert first.window.size == MINUTE


def test_sessions_are_taken_in_only_if_cut_by_the_keys() -> None:
    by_key = window(scan(), WindowKind.SESSION, partition=("k",))
    assert find(plan(per_window(by_key, "k")), WindowAggregate).attached is None
    assert find(plan(per_window(by_key)), WindowAggregate).attached == BOUNDS
    overall = window(scan(), WindowKind.SESSION)
    assert find(plan(per_window(overall)), WindowAggregate).attached is None
    assert find(plan(per_window(overall, "k")), WindowAggregate).attached == BOUNDS


def test_a_filter_above_sessions_stays_above() -> None:
    sessions = window(scan(), WindowKind.SESSION, partition=("k",))
    big = where(sessions, call(">", column(sessions, "qty"), number(1)))
    assert find(plan(per_window(big, "k")), WindowAggregate).attached == BOUNDS
    one = where(sessions, call("=", column(sessions, "k"), Literal("a", STRING)))
    assert find(plan(per_window(one, "k")), WindowAggregate).attached is None


def test_grouping_sets_expand_the_keys_but_not_the_window() -> None:
    sets = (("k", *BOUNDS), ("qty", *BOUNDS), BOUNDS)
    node = plan(group(window(scan()), ("k", "qty", *BOUNDS), COUNT, sets=sets))
    assert find(node, Expand).sets == (("k",), ("qty",), ())
    assert find(node, WindowAggregate).keys == ("k", "qty", "$e")
    assert node.schema.names == ("k", "qty", *BOUNDS, "n")


def test_a_set_without_the_window_makes_an_ordinary_aggregation() -> None:
    sets = (BOUNDS, ("k",))
    node = plan(group(window(scan()), ("k", *BOUNDS), COUNT, sets=sets))
    assert all_of(node, WindowAggregate) == []


def _updating(query: Logical) -> PhysicalNode:
    return plan_job([query], Config(), lambda table: ALL_KINDS)[0]


def test_a_window_aggregation_takes_updates() -> None:
    assert find(_updating(per_window(window(scan()), "k")), WindowAggregate).retract


def test_a_window_call_alone_takes_no_updates() -> None:
    with pytest.raises(UserError) as raised:
        _updating(window(scan()))
    assert raised.value.code == "UPDATES_NOT_SUPPORTED"
    assert "doesn't support consuming update and delete changes" in raised.value.message


def test_window_calls_take_no_early_fire() -> None:
    config = Config({"table.exec.emit.early-fire.enabled": "true"})
    with pytest.raises(UserError, match="early"):
        plan_job([per_window(window(scan()), "k")], config)


def legacy(node: Logical) -> logical.GroupWindow:
    fields = (Field("k", STRING), Field("n", COUNT.type), Field("e", timestamp(3)))
    return logical.GroupWindow(
        input=node,
        window=Window(kind=WindowKind.TUMBLE, time="ts", type=node.schema["ts"], size=MINUTE),
        keys=("k",),
        calls=(COUNT,),
        properties=(("e", WindowProperty.END),),
        schema=Schema(fields),
    )


def test_legacy_windows_fire_as_configured() -> None:
    emit = "table.exec.emit."
    config = Config(
        {
            f"{emit}early-fire.enabled": "true",
            f"{emit}early-fire.delay": "300 ms",
            f"{emit}late-fire.enabled": "true",
            f"{emit}allow-lateness": "1 h",
        }
    )
    found = find(plan_job([legacy(scan())], config)[0], GroupWindow)
    assert (found.early_fire, found.late_fire, found.lateness) == (300, 0, 3_600_000)


def test_late_fire_needs_lateness() -> None:
    config = Config({"table.exec.emit.late-fire.enabled": "true"})
    with pytest.raises(UserError, match="late-fire"):
        plan_job([legacy(scan())], config)


def test_unused_properties_of_legacy_windows_go() -> None:
    node = plan(select(legacy(scan()), k="k", n="n"))
    assert find(node, GroupWindow).properties == ()


def test_a_filter_on_keys_goes_below_legacy_windows() -> None:
    grouped = legacy(scan())
    one = where(grouped, call("=", column(grouped, "k"), Literal("a", STRING)))
    assert kinds_of(plan(one)) == ["GroupWindow", "Calc", "WatermarkAssigner", "Scan"]
