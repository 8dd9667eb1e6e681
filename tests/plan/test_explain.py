"""What ``explain`` shows."""

from __future__ import annotations

import json

from planned import aggregate, call, column, group, number, scan, select, where, window

from sameriver.common.config import Config
from sameriver.plan.explain import explain_json, explain_text
from sameriver.plan.logical import Logical
from sameriver.plan.planner import plan_job


def totals() -> Logical:
    orders = scan()
    some = where(orders, call(">", column(orders, "qty"), number(1)))
    return group(some, ("k",), aggregate("n", "COUNT"))


def text(*queries: Logical) -> str:
    return explain_text(queries, plan_job(queries, Config()))


def test_a_logical_plan_is_a_tree() -> None:
    expected = """\
== Logical Plan ==
Aggregate(groupBy=[k], select=[COUNT(*) AS n])
+- Filter(where=[(qty > 1)])
   +- Scan(table=[orders], fields=[id, k, qty, ts, proc])
"""
    assert text(totals()).startswith(expected)


def test_physical_nodes_show_their_change_kinds() -> None:
    shown = text(totals())
    assert "Sink(fields=[k, n], changelogMode=[I,UB,UA])" in shown
    assert "Calc(select=[k], where=[(qty > 1)], changelogMode=[I])" in shown


def test_stateful_nodes_show_their_tables() -> None:
    shown = text(totals())
    assert "state 'accumulators', ttl 36 h" in shown
    line = next(line for line in shown.splitlines() if "orders.k" in line)
    assert line.split()[1:] == ["key", "k", "STRING", "orders.k"]
    assert "rows of orders:filesystem where <(1:INT, orders.qty)" in shown


def test_windows_are_told_in_units() -> None:
    assert "WindowTable(window=[TUMBLE(ts, size 1 min)])" in text(window(scan()))


def test_json_holds_the_same() -> None:
    queries = [totals()]
    shown = explain_json(queries, plan_job(queries, Config()))
    assert json.loads(json.dumps(shown)) == shown
    nodes = shown["physical"]["nodes"]  # type: ignore[index]
    grouped = next(node for node in nodes if node["node"] == "GroupAggregate")
    assert grouped["changelog"] == ["I", "UB", "UA"]
    assert grouped["state"][0]["ttl"] == 36 * 3_600_000
    assert grouped["state"][0]["key"] == [
        {"name": "k", "type": "STRING", "meaning": "orders.k", "role": "key"}
    ]


def test_json_lists_a_shared_node_once() -> None:
    queries = [select(scan(), k="k"), select(scan(), k="k")]
    shown = explain_json(queries, plan_job(queries, Config()))
    physical = shown["physical"]
    assert [node["node"] for node in physical["nodes"]] == ["Scan", "Sink"]  # type: ignore[index]
    assert physical["roots"] == [1, 1]  # type: ignore[index]
