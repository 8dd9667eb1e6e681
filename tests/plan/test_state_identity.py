"""The state a query declares: the same however the query is written, another where it differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from planned import (
    MINUTE,
    ORDERS,
    aggregate,
    call,
    column,
    group,
    number,
    plan,
    scan,
    select,
    where,
    window,
)

from sameriver.common.schema import Field, Schema
from sameriver.common.state import StateTable
from sameriver.common.types import BIGINT, INT
from sameriver.plan import logical
from sameriver.plan.logical import Logical
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.window import WindowKind

N = aggregate("n", "COUNT")


def state(query: Logical) -> list[tuple[StateTable, ...]]:
    """The tables of all stateful nodes without the names that only people read."""

    def tables(node: PhysicalNode) -> Iterator[tuple[StateTable, ...]]:
        for below in node.inputs:
            yield from tables(below)
        if node.state():
            yield tuple(nameless(table) for table in node.state())

    return list(tables(plan(query)))


def nameless(table: StateTable) -> StateTable:
    key = tuple(replace(c, name="") for c in table.key)
    return replace(table, key=key, values=tuple(replace(c, name="") for c in table.values))


def big(node: Logical, least: int = 1) -> logical.Filter:
    return where(node, call(">", column(node, "qty"), number(least)))


def totals(node: Logical, key: str = "k", value: str = "qty") -> logical.Aggregate:
    total = aggregate("total", "SUM", column(node, value), type=INT)
    return group(node, (key,), N, total)


def per_window(node: Logical, *keys: str) -> logical.Aggregate:
    total = aggregate("total", "SUM", column(node, "qty"), type=INT)
    return group(node, (*keys, "window_start", "window_end"), total)


def test_a_stateful_query_declares_state() -> None:
    (tables,) = state(totals(scan()))
    assert [c.meaning for c in tables[0].key] == ["orders.k"]
    assert "SUM(orders.qty)" in [c.meaning for c in tables[0].values]
    assert tables[0].scope.sources == ("orders:filesystem",)


def _renamed() -> Logical:
    inner = select(scan(), key="k", amount="qty", other="id")
    return totals(inner, "key", "amount")


def _nested() -> Logical:
    inner = select(scan(), x="k", y="qty")
    return totals(select(inner, p="y", q="x"), "q", "p")


def _unused() -> Logical:
    return select(totals(select(scan(), k="k", qty="qty", ts="ts")), k="k", n="n", total="total")


@pytest.mark.parametrize("written", [_renamed, _nested, _unused])
def test_aliases_views_and_unused_columns_make_no_difference(written: object) -> None:
    assert callable(written)
    assert state(written()) == state(totals(scan()))


def test_the_order_and_place_of_conditions_make_no_difference() -> None:
    orders = scan()
    first = call(">", column(orders, "qty"), number(1))
    second = call("<", column(orders, "id"), number(5, BIGINT))
    both = where(orders, call("AND", first, second))
    nested = where(where(orders, second), first)
    above = select(orders, i="id", k="k", q="qty")
    later = where(above, call("<", column(above, "i"), number(5, BIGINT)))
    split = where(later, call("<", number(1), column(later, "q")))
    assert state(totals(both)) == state(totals(nested)) == state(totals(split, value="q"))


def test_a_filter_on_keys_is_the_same_above_and_below() -> None:
    orders = scan()
    five = number(5, BIGINT)
    below = totals(where(orders, call("<", column(orders, "id"), five)), "id")
    above = totals(orders, "id")
    assert state(below) == state(where(above, call("<", column(above, "id"), five)))


def test_a_filter_is_the_same_above_and_below_a_window_call() -> None:
    windowed = window(scan())
    below = window(big(scan()))
    assert state(per_window(big(windowed), "k")) == state(per_window(below, "k"))


def test_a_filter_below_and_above_sessions_is_not_the_same() -> None:
    below = window(big(scan()), WindowKind.SESSION, partition=("k",))
    above = big(window(scan(), WindowKind.SESSION, partition=("k",)))
    assert state(per_window(below, "k")) != state(per_window(above, "k"))


def test_nor_are_they_where_sessions_are_grouped_by_other_keys() -> None:
    below = window(big(scan()), WindowKind.SESSION, partition=("k",))
    above = big(window(scan(), WindowKind.SESSION, partition=("k",)))
    assert state(per_window(below))[-1] != state(per_window(above))[-1]


def test_a_having_makes_no_difference() -> None:
    grouped = totals(scan())
    some = where(grouped, call(">", column(grouped, "n"), number(1, BIGINT)))
    assert state(some) == state(grouped)


def test_the_branches_of_a_union_have_no_order() -> None:
    one, other = select(scan(), k="k", qty="qty"), select(scan(RENAMED), k="k", qty="qty")
    left = logical.Union(inputs=(one, big(other)), schema=one.schema)
    right = logical.Union(inputs=(big(other), one), schema=one.schema)
    assert state(totals(left)) == state(totals(right))
    swapped = logical.Union(inputs=(big(one), other), schema=one.schema)
    assert state(totals(left)) != state(totals(swapped))


RENAMED = replace(ORDERS, name="orders_v2")
RECONNECTED = replace(ORDERS, options={"connector": "datagen"})
TUNED = replace(ORDERS, options={"connector": "filesystem", "path": "elsewhere"})
DELAYED = replace(ORDERS, watermark=None)
WIDENED = replace(
    ORDERS,
    schema=Schema((*ORDERS.schema, Field("more", INT))),
    physical=(*ORDERS.physical, Field("more", INT)),
)


@pytest.mark.parametrize("table", [TUNED, WIDENED, DELAYED])
def test_what_the_table_may_change(table: object) -> None:
    assert state(totals(scan(table))) == state(totals(scan()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        totals(big(scan())),
        totals(scan(RENAMED)),
        totals(scan(RECONNECTED)),
        totals(scan(), "id"),
        totals(scan(), value="id"),
    ],
    ids=["filter", "source", "connector", "key", "argument"],
)
def test_what_makes_another_state(other: Logical) -> None:
    assert state(other) != state(totals(scan()))


def test_another_threshold_is_another_filter() -> None:
    assert state(totals(big(scan(), 1))) != state(totals(big(scan(), 2)))


@pytest.mark.parametrize(
    "other",
    [
        window(scan(), size=2 * MINUTE),
        window(scan(), WindowKind.SESSION, partition=("k",)),
        window(scan(), time="proc"),
    ],
    ids=["size", "kind", "time"],
)
def test_another_window_is_another_state(other: Logical) -> None:
    assert state(per_window(other, "k")) != state(per_window(window(scan()), "k"))


def test_names_of_window_columns_make_no_difference() -> None:
    inner = select(window(scan()), k="k", qty="qty", a="window_start", b="window_end")
    total = aggregate("t", "SUM", column(inner, "qty"), type=INT)
    renamed = group(inner, ("k", "b", "a"), total)
    assert state(renamed) == state(per_window(window(scan()), "k"))


def test_the_outer_of_two_aggregations_depends_on_the_keys_of_the_inner() -> None:
    def outer(key: str) -> Logical:
        inner = group(scan(), (key,), N)
        return group(inner, ("n",), aggregate("m", "COUNT"))

    assert state(outer("k"))[1] != state(outer("id"))[1]
