"""What a report tells: places, output columns, tables, ways forward; and its forms."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sameriver import UserError, Verdict, check
from sameriver.compat.render import report_markdown, report_text
from sameriver.compat.report import CompatibilityReport, TableChange

from .cases import cases, judge
from .tables import ORDERS, PAYMENTS, SINKS

OLD = """INSERT INTO totals
SELECT region, SUM(amount) AS total
FROM orders
GROUP BY region;
"""
NEW = """-- a comment more
INSERT INTO totals
SELECT region, SUM(amount) FILTER (WHERE qty > 1) AS total
FROM orders
WHERE product = 'a'
GROUP BY region, product;
"""


def reports(old: str, new: str, **config: str) -> CompatibilityReport:
    return check(ORDERS + PAYMENTS + SINKS + old, ORDERS + PAYMENTS + SINKS + new, config)


def line_of(script: str, text: str) -> tuple[int, int]:
    """Line and column of a text in a script behind the tables."""
    before = (ORDERS + PAYMENTS + SINKS + script[: script.index(text)]).split("\n")
    return len(before), len(before[-1]) + 1


def test_reasons_point_at_both_scripts() -> None:
    report = reports(OLD, NEW)
    (operator,) = report.operators
    at = {r.rule: (r.old, r.new) for r in operator.reasons}
    assert set(at) == {"GAGG-07", "GAGG-16", "WHERE-01"}
    old, new = at["GAGG-16"]
    assert old is not None
    assert new is not None
    assert (old.line, old.column) == line_of(OLD, "SUM(amount)")
    assert (new.line, new.column) == line_of(NEW, "SUM(amount)")
    _, key = at["GAGG-07"]
    assert key is not None
    assert (key.line, key.column) == line_of(NEW, "GROUP BY")
    _, condition = at["WHERE-01"]
    assert condition is not None
    assert (condition.line, condition.column) == line_of(NEW, "product = 'a'")


def test_a_computed_column_is_told_where_the_table_declares_it() -> None:
    old = "SELECT region, SUM(qty), MAX(amount) FROM orders GROUP BY region;"
    computed = ORDERS.replace("qty INT", "pieces INT,\n  qty AS pieces + 1")
    report = check(ORDERS + old, computed + old)
    (reason,) = report.operators[0].reasons
    assert reason.message == "`SUM(qty)` becomes `SUM(pieces + 1)`: starts empty at the restart"


def test_output_columns_that_hang_on_a_new_aggregate() -> None:
    old = (
        "SELECT region, total FROM (SELECT region, SUM(amount) AS total FROM orders"
        " GROUP BY region);"
    )
    new = (
        "SELECT region, total / n AS mean, total, 2 AS two FROM (SELECT region, SUM(amount) AS"
        " total, COUNT(*) AS n FROM orders GROUP BY region);"
    )
    assert reports(old, new).outputs == ("mean",)


def test_all_columns_hang_on_an_aggregate_that_filters_the_rows() -> None:
    old = "SELECT region, SUM(amount) AS total FROM orders GROUP BY region;"
    new = old.replace(";", " HAVING COUNT(*) > 1;")
    report = reports(old, new)
    assert (report.verdict, report.outputs) == (Verdict.PARTIAL, ("region", "total"))


def test_tables_go_on_by_meaning() -> None:
    old = (
        "SELECT region, SUM(amount) AS a, COUNT(DISTINCT product) AS b, MIN(qty) AS c"
        " FROM orders GROUP BY region;"
    )
    new = (
        "SELECT area, MAX(qty) AS a, COUNT(DISTINCT p) AS c, SUM(amount) AS b FROM"
        " (SELECT region AS area, product AS p, qty, amount FROM orders) GROUP BY area;"
    )
    (operator,) = reports(old, new).operators
    assert tuple(replace(t, columns=tuple(sorted(t.columns))) for t in operator.tables) == (
        TableChange(
            old="accumulators",
            new="accumulators",
            columns=(
                ("a", "b"),
                ("b", "c"),
                ("last_access", "last_access"),
                ("region", "area"),
            ),
            dropped=("c",),
            added=("a",),
        ),
        TableChange(
            old="distinct_product",
            new="distinct_p",
            columns=(("product", "p"), ("region", "area")),
        ),
    )


def test_values_beside_the_accumulators_go_on_too() -> None:
    inner = "(SELECT region, product, SUM(amount) AS amount FROM orders GROUP BY region, product)"
    old = f"SELECT region, MIN(amount) AS low, COUNT(*) AS n FROM {inner} GROUP BY region;"
    new = f"SELECT region, COUNT(*) AS n, MIN(amount) AS least FROM {inner} GROUP BY region;"
    *_, operator = reports(old, new).operators
    (beside,) = (table for table in operator.tables if table.old != "accumulators")
    assert (beside.old, beside.new, beside.dropped, beside.added) == (
        "values_low",
        "values_least",
        (),
        (),
    )


@pytest.mark.parametrize(
    ("new", "ways"),
    [
        (OLD, []),
        (OLD.replace("SUM(amount)", "SUM(qty)"), ["--backfill", "--fresh"]),
        (OLD.replace("GROUP", "WHERE qty > 1 GROUP"), ["ignore-filter", "--backfill", "--fresh"]),
    ],
)
def test_ways_forward_come_with_the_verdict(new: str, ways: list[str]) -> None:
    found = reports(OLD, new).ways
    assert len(found) == len(ways)
    assert all(way in text for way, text in zip(ways, found, strict=True))


def test_a_report_as_text() -> None:
    old = OLD
    new = OLD.replace("SUM(amount) AS total", "SUM(amount) AS total, MAX(qty) AS most")
    tables = SINKS.replace("total BIGINT", "total BIGINT, most INT")
    report = check(f"{SINKS}{ORDERS}{old}", f"{tables}{ORDERS}{new}")
    assert report_text(report, "a.sql", "b.sql") == (
        "PARTIALLY_COMPATIBLE: what is unchanged goes on, what is new starts empty\n"
        "\n"
        "GroupAggregate GROUP BY region  PARTIALLY_COMPATIBLE\n"
        "  at b.sql:11:1, matched with the same at a.sql:11:1\n"
        "  GAGG-01  `MAX(qty)` is new: starts empty at the restart\n"
        "    at b.sql:9:38\n"
        "    output columns: totals.most\n"
        "\n"
        "Ways forward\n"
        "  - Let what is new start empty: '--allow-partial'.\n"
        "  - Fill it from history: '--backfill' replays the sources into the new version.\n"
    )


def test_markdown_keeps_its_table_whole() -> None:
    old = "SELECT region || 'a|b' AS k, SUM(qty) FROM orders GROUP BY region || 'a|b';"
    text = report_markdown(reports(old, old.replace("a|b", "b|a")), "a.sql", "b.sql")
    assert text.startswith("### ❌ State: INCOMPATIBLE\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def schema() -> dict[str, Any]:
    page = Path(__file__).parents[2] / "docs" / "reference" / "check.md"
    (text,) = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


KINDS = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def fits(value: object, part: dict[str, Any], whole: dict[str, Any]) -> bool:
    """Whether a value fits a schema of the keywords that ours uses; no field may be unlisted."""
    if "$ref" in part:
        return fits(value, whole["$defs"][part["$ref"].rpartition("/")[2]], whole)
    if "enum" in part:
        return value in part["enum"]
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    if value is None:
        return "null" in kinds
    if not isinstance(value, tuple(KINDS[kind] for kind in kinds if kind != "null")):
        return False
    if isinstance(value, list):
        return all(fits(one, part["items"], whole) for one in value)
    if isinstance(value, dict):
        fields = part["properties"]
        return value.keys() == fields.keys() == set(part["required"]) and all(
            fits(one, fields[name], whole) for name, one in value.items()
        )
    return True


@pytest.mark.parametrize("case", cases()[::5], ids=lambda case: case.id)
def test_json_is_as_documented(case: Any) -> None:
    assert fits(json.loads(json.dumps(judge(case).to_json())), schema(), schema())


def test_a_script_without_a_job_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        check(ORDERS, ORDERS)
    assert caught.value.code == "NO_JOB"


def test_scripts_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "job.sql"
    path.write_text(ORDERS + SINKS + OLD, encoding="utf-8")
    assert check(path, ORDERS + SINKS + OLD).verdict is Verdict.FULL
    with pytest.raises(UserError) as caught:
        check(tmp_path / "jobs.sql", path)
    assert (caught.value.code, "job.sql" in caught.value.hint) == ("NO_SCRIPT", True)
