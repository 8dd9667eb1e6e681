"""What makes no difference to state, alone and together."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import Verdict, check
from sameriver.compat import CompatibilityReport

from .tables import ORDERS, PAYMENTS

DDL = ORDERS + PAYMENTS
Edit = Callable[[str], str]

QUERIES = {
    "group": "SELECT region, SUM(amount) AS total, COUNT(DISTINCT product) AS n FROM {orders}"
    " WHERE {where} GROUP BY region;",
    "window": "SELECT region, window_start, MAX(qty) AS most FROM TABLE(TUMBLE(TABLE {orders},"
    " DESCRIPTOR(order_time), INTERVAL {hours})) WHERE {where}"
    " GROUP BY region, window_start, window_end;",
    "group window": "SELECT region, MAX(qty) AS most FROM {orders} WHERE {where}"
    " GROUP BY region, HOP(order_time, INTERVAL {minutes}, INTERVAL {hours});",
    "over": "SELECT region, order_time, SUM(amount) OVER (PARTITION BY region ORDER BY order_time"
    " RANGE BETWEEN INTERVAL {hours} PRECEDING AND CURRENT ROW) AS total FROM {orders}"
    " WHERE {where};",
    "deduplicate": "SELECT region, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY region"
    " ORDER BY order_time DESC) AS rk FROM {orders} WHERE {where}) WHERE rk = 1;",
    "top": "SELECT region, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY region, product"
    " ORDER BY amount DESC) AS rk FROM {orders} WHERE {where}) WHERE rk <= 3;",
    "join": "SELECT o.region, p.paid FROM {orders} AS o JOIN payments AS p ON {on} WHERE {where};",
    "interval join": "SELECT o.region, p.paid FROM {orders} AS o LEFT JOIN payments AS p ON {on}"
    " AND p.pay_time BETWEEN o.order_time AND o.order_time + INTERVAL {hours} WHERE {where};",
    "sort": "SELECT region, amount, order_time FROM {orders} WHERE {where} ORDER BY order_time;",
    "union": "SELECT region, SUM(amount) AS total FROM (SELECT region, amount FROM {orders} WHERE"
    " {where} UNION ALL SELECT pay_method, paid FROM payments) GROUP BY region;",
    "except": "SELECT region, amount FROM {orders} WHERE {where} EXCEPT SELECT pay_method, paid"
    " FROM payments;",
}  # fmt: skip
PLAIN = {
    "orders": "orders",
    "where": "qty > 3 AND note = 'a' AND amount + qty < 100",
    "hours": "'2' HOUR",
    "minutes": "'60' MINUTE",
    "on": "o.order_id = p.order_id AND o.amount = p.paid",
}
SWITCHED = {
    "where": "(100 > qty + amount) AND 'a' = note AND NOT (qty <= 3)",
    "hours": "'02:00' HOUR TO MINUTE",
    "minutes": "'1' HOUR",
    "on": "p.paid = o.amount AND p.order_id = o.order_id",
}


def in_view(script: str) -> str:
    """The table behind a view that only passes columns on, under other names and back."""
    names = "order_id, customer_id, region, product, amount, qty, note, order_time, pt"
    renamed = names.replace("amount", "amount AS a1")
    view = (
        f"CREATE TEMPORARY VIEW inner_orders AS SELECT {renamed} FROM orders;\n"
        "CREATE TEMPORARY VIEW orders_view AS"
        f" SELECT {names.replace('amount', 'a1 AS amount')} FROM inner_orders;\n"
    )
    return script.replace(DDL, DDL + view).replace("{orders}", "orders_view")


def switched(*names: str) -> Edit:
    def edit(script: str) -> str:
        for name in names:
            script = script.replace(f"{{{name}}}", SWITCHED[name])
        return script

    return edit


def spaced(script: str) -> str:
    """Line breaks, comments, and keywords in lower case."""
    script = re.sub(r" (FROM|WHERE|GROUP BY) ", r" -- next\n  \1   ", script)
    return script.replace("SELECT ", "select ").replace(" FROM", " from")


def renamed(script: str) -> str:
    for old, new in (
        ("AS total", "AS t"),
        ("AS most", "AS m"),
        ("AS n ", "AS nn "),
        (" rk", " r9"),
    ):
        script = script.replace(old, new)
    return script


def wider(script: str) -> str:
    """A column that nothing reads, and none of those that nothing reads."""
    return script.replace("note STRING,", "note STRING, more INT,").replace("customer_id INT, ", "")


EDITS: dict[str, Edit] = {
    "views": in_view,
    "conditions": switched("where"),
    "units": switched("hours", "minutes"),
    "equalities": switched("on"),
    "formatting": spaced,
    "aliases": renamed,
}


def filled(script: str) -> str:
    for name, text in PLAIN.items():
        script = script.replace(f"{{{name}}}", text)
    return script


def judged(query: str, *edits: str) -> CompatibilityReport:
    script = DDL + QUERIES[query]
    new = script
    for name in edits:
        new = EDITS[name](new)
    return check(filled(script), filled(new))


def assert_quiet(report: CompatibilityReport) -> None:
    assert report.verdict is Verdict.FULL
    assert report.operators
    told = [(one.name, r.message) for one in report.operators for r in one.reasons]
    assert not told


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("query", QUERIES)
def test_an_edit_that_means_the_same(query: str, edit: str) -> None:
    assert_quiet(judged(query, edit))


@pytest.mark.parametrize("query", QUERIES)
def test_columns_that_nothing_reads(query: str) -> None:
    script = filled(DDL + QUERIES[query])
    assert_quiet(check(script, wider(script)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(QUERIES)), st.permutations(sorted(EDITS)), st.integers(2, 6))
def test_edits_that_mean_the_same_together(query: str, edits: list[str], count: int) -> None:
    assert_quiet(judged(query, *edits[:count]))
