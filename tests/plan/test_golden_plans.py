"""Scripts that Apache Flink ran are planned, and the change kinds are those that Flink infers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sameriver.common.changes import ChangeKind
from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.plan.bind import bind_query, bind_table, bind_view
from sameriver.plan.catalog import Catalog
from sameriver.plan.explain import explain_json, explain_text
from sameriver.plan.logical import Logical
from sameriver.plan.physical.node import ALL_KINDS, INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.planner import plan_job
from sameriver.plan.rules import rewrite
from sameriver.plan.table import Table
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable, CreateView, Query, SetOption

GOLDEN = Path(__file__).parents[1] / "golden"


def changelog(table: Table) -> ChangelogMode:
    return ALL_KINDS if table.options.get("format") == "debezium-json" else INSERT_ONLY


def bound(folder: str) -> tuple[Logical, Config]:
    """The query of a folder and the options it sets."""
    (query,), config = script((GOLDEN / folder / "job.sql").read_text())
    return query, config


def script(text: str) -> tuple[list[Logical], Config]:
    """The queries of a script and the options it sets."""
    catalog, config = Catalog(), Config()
    queries: list[Logical] = []
    for statement in parse_script(text):
        match statement:
            case SetOption(key=str() as key, value=str() as value):
                config = config.with_option(key, value)
            case CreateTable():
                catalog.add(statement.name.parts, bind_table(statement, catalog, config))
            case CreateView():
                catalog.add(statement.name.parts, bind_view(statement, catalog, config))
            case Query():
                queries.append(bind_query(statement.query, catalog, config))
    return queries, config


def planned(folder: str) -> PhysicalNode:
    query, config = bound(folder)
    return plan_job([query], config, changelog)[0]


def supported(folder: str) -> bool:
    try:
        planned(folder)
    except UserError as error:
        return error.code != "UNSUPPORTED"
    return True


ANSWERED = sorted(path.parent.name for path in GOLDEN.glob("*/expected.jsonl"))
FOLDERS = [folder for folder in ANSWERED if supported(folder)]


def test_most_jobs_without_joins_and_over_are_supported() -> None:
    assert len(FOLDERS) >= 40


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_plan_has_the_schema_of_the_query(folder: str) -> None:
    query, config = bound(folder)
    assert rewrite(query).schema == query.schema
    root = plan_job([query], config, changelog)[0]
    names = [json.loads(line)["name"] for line in open_lines(folder)]
    assert list(root.schema.names) == names


def open_lines(folder: str) -> list[str]:
    return (GOLDEN / folder / "schema.jsonl").read_text().splitlines()


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_change_comes_that_the_plan_does_not_announce(folder: str) -> None:
    root = planned(folder)
    lines = (GOLDEN / folder / "expected.jsonl").read_text().splitlines()
    symbols = {json.loads(line)["op"] for line in lines}
    assert symbols <= {kind.symbol for kind in root.changelog}


@pytest.mark.parametrize("folder", FOLDERS)
def test_updates_come_where_flink_announces_them(folder: str) -> None:
    """[I,UA] is what Flink says of SELECT DISTINCT too, whose rows never change."""
    text = (GOLDEN / folder / "plan.txt").read_text()
    flink = re.findall(r"changelogMode=\[([A-Z,]+)\]", text)[0]
    root = planned(folder)
    if flink == "I":
        assert root.changelog == INSERT_ONLY
    elif flink != "I,UA":
        assert root.changelog != INSERT_ONLY


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_plan_can_be_explained(folder: str) -> None:
    query, config = bound(folder)
    roots = plan_job([query], config, changelog)
    shown = json.dumps(explain_json([query], roots))
    text = explain_text([query], roots)
    for node in everything(roots[0]):
        for table in node.state():
            assert f"state '{table.name}'" in text
            assert table.scope.sources
            for column in table.columns:
                assert json.dumps(column.meaning) in shown


def everything(node: PhysicalNode) -> list[PhysicalNode]:
    return [node, *(found for below in node.inputs for found in everything(below))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_stateful_nodes_say_where_their_rows_belong(folder: str) -> None:
    for node in everything(planned(folder)):
        if node.state():
            assert node.distribution is not None
            assert set(node.inputs[0].schema.names) >= set(node.distribution[0])


def test_updates_are_told_by_kind() -> None:
    root = planned("agg_cdc")
    assert root.changelog >= {ChangeKind.DELETE, ChangeKind.UPDATE_BEFORE}


SPECIFIED = """
CREATE TABLE source_table (id BIGINT, money BIGINT, row_time TIMESTAMP_LTZ(3),
  WATERMARK FOR row_time AS row_time - INTERVAL '10' SECOND) WITH ('connector' = 'datagen');
SELECT UNIX_TIMESTAMP(CAST(window_end AS STRING)) * 1000 AS window_end, window_start,
  SUM(money) AS sum_money, COUNT(DISTINCT id) AS count_distinct_id
FROM TABLE(CUMULATE(TABLE source_table, DESCRIPTOR(row_time), INTERVAL '60' SECOND,
  INTERVAL '1' DAY))
GROUP BY window_start, window_end;
"""


def test_the_cumulative_metric_is_one_window_aggregation_and_append_only() -> None:
    (query,), config = script(SPECIFIED)
    (root,) = plan_job([query], config, changelog)
    names = [type(node).__name__ for node in everything(root)]
    assert names == ["Sink", "Calc", "WindowAggregate", "WatermarkAssigner", "Scan"]
    assert root.changelog == INSERT_ONLY
    assert root.schema.names == ("window_end", "window_start", "sum_money", "count_distinct_id")


ORDERS = """
CREATE TABLE orders (id BIGINT, k STRING, qty INT, note STRING, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');
"""
SAME = [
    (
        "SELECT k, SUM(qty) AS s FROM orders WHERE qty > 1 AND note = 'x' GROUP BY k",
        "CREATE VIEW v AS SELECT note AS n, qty AS q, k AS kk FROM orders WHERE 'x' = note;"
        "SELECT o.kk, SUM(o.q) FROM (SELECT * FROM v WHERE 1 < q) AS o GROUP BY o.kk",
    ),
    (
        "SELECT window_end, COUNT(DISTINCT k) AS n FROM TABLE(TUMBLE(TABLE orders,"
        " DESCRIPTOR(ts), INTERVAL '1' MINUTE)) WHERE qty > 0 GROUP BY window_start, window_end",
        "WITH o AS (SELECT k AS key, ts AS t FROM orders WHERE NOT qty <= 0)"
        " SELECT COUNT(DISTINCT key) FROM TABLE(TUMBLE(DATA => TABLE o, TIMECOL => DESCRIPTOR(t),"
        " SIZE => INTERVAL '60' SECOND)) GROUP BY window_end, window_start",
    ),
    (
        "SELECT DISTINCT k, UPPER(note) AS u FROM orders",
        "SELECT k, u FROM (SELECT UPPER(note) AS u, k FROM orders) GROUP BY k, u",
    ),
    (
        "SELECT k, COUNT(*) AS n FROM orders GROUP BY k HAVING k <> 'a'",
        "SELECT k, n FROM (SELECT k, COUNT(*) AS n, MAX(qty) AS m FROM orders"
        " WHERE 'a' <> k GROUP BY k) WHERE n > 1",
    ),
    (
        "SELECT k, SUM(qty) AS s FROM orders WHERE k IN ('a', 'b') GROUP BY k",
        "SELECT k, SUM(qty) AS s FROM orders WHERE k IN ('b', 'a') AND TRUE GROUP BY k",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_query_written_in_two_ways_keeps_the_same_state(one: str, other: str) -> None:
    assert kept(ORDERS + one) == kept(ORDERS + other)


def kept(text: str) -> list[tuple[object, ...]]:
    """Meanings, types and scopes of all state of a script."""
    queries, config = script(text)
    tables = [
        table
        for root in plan_job(queries, config, changelog)
        for node in everything(root)
        for table in node.state()
    ]
    assert tables
    return [
        (
            [(c.meaning, c.type) for c in table.key],
            [(c.meaning, c.type, c.role) for c in table.values],
            table.scope,
            table.ttl,
        )
        for table in tables
    ]
