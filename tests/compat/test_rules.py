"""Rules that the cases leave out, and what they say nothing of."""

from __future__ import annotations

import pytest

from sameriver import Verdict, check
from sameriver.compat.strictness import STRICTNESS
from sameriver.compat.traits import TRAITS
from sameriver.plan.physical.node import PhysicalNode

from .tables import ACCOUNTS, INSTANTS, ORDERS, PAYMENTS, SINKS

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
IGNORE = {"table.optimizer.state-compatibility.ignore-filter": "true"}

GROUPED = "SELECT region, SUM(amount), MAX(qty) FROM orders GROUP BY region;"
WINDOWED = (
    "SELECT region, SUM(amount), MAX(qty) FROM orders"
    " GROUP BY region, TUMBLE(order_time, INTERVAL '10' MINUTE);"
)
TVF = (
    "SELECT region, window_start, SUM(amount), MAX(qty) FROM TABLE(TUMBLE(TABLE orders,"
    " DESCRIPTOR(order_time), INTERVAL '5' MINUTE)) GROUP BY region, window_start, window_end;"
)
OVER = (
    "SELECT region, amount, qty, SUM(amount) OVER w, MAX(qty) OVER w FROM orders"
    " WINDOW w AS (PARTITION BY region ORDER BY order_time);"
)
SORTED = OVER.replace("ORDER BY order_time", "ORDER BY qty")
FIRST = (
    "SELECT order_id, product FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id"
    " ORDER BY pt ASC) AS rk FROM orders) WHERE rk = 1;"
)
TOP = (
    "SELECT region, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY region"
    " ORDER BY amount DESC) AS rk FROM orders) WHERE rk <= 5;"
)
WINDOW_TOP = (
    "SELECT region, total, window_start FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
    " window_start, window_end ORDER BY total DESC) AS rk FROM (SELECT region, SUM(amount) AS"
    " total, window_start, window_end FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time),"
    " INTERVAL '10' MINUTE)) GROUP BY region, window_start, window_end)) WHERE rk <= 3;"
)
INTERVAL = (
    "SELECT o.order_id, o.amount, p.paid FROM orders AS o JOIN payments AS p ON o.order_id ="
    " p.order_id AND p.pay_time BETWEEN o.order_time AND o.order_time + INTERVAL '4' HOUR;"
)
UNION = "SELECT region, SUM(amount) FROM (SELECT * FROM orders) GROUP BY region;"
MATCH = (
    "SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY region ORDER BY order_time MEASURES"
    " A.order_id AS a AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE A AS A.qty > 1) AS m;"
)
BOTH = (
    "INSERT INTO totals SELECT region, SUM(amount) FROM orders GROUP BY region;"
    " INSERT INTO copies SELECT region, amount FROM orders;"
)
ONE = "INSERT INTO copies SELECT region, amount FROM orders;"


def edited(script: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in script
        script = script.replace(old, new)
    return script


FILTERED = edited(GROUPED, ("GROUP", "WHERE qty > 10 GROUP"))
ALL_ROWS = "amount FROM orders"
CHANGES = [
    ("GAGG-07", INCOMPATIBLE, GROUPED, ("GROUP BY region", "GROUP BY region, product")),
    ("OVER-01", PARTIAL, OVER, (" FROM orders", ", COUNT(qty) OVER w FROM orders")),
    ("OVER-06", INCOMPATIBLE, OVER, ("MAX(qty)", "MAX(qty + 1)")),
    ("OVER-08", INCOMPATIBLE, OVER, ("ORDER BY order_time", "ORDER BY pt")),
    ("OVER-08", INCOMPATIBLE, SORTED, ("ORDER BY qty", "ORDER BY qty DESC")),
    ("OVER-05", FULL, SORTED, (" FROM orders", ", COUNT(qty) OVER w FROM orders")),
    ("OVER-02", FULL, SORTED, (", MAX(qty) OVER w", "")),
    ("GWIN-02", FULL, WINDOWED, ("SUM(amount), ", "")),
    ("GWIN-04", PARTIAL, WINDOWED, ("MAX(qty)", "MIN(qty)")),
    ("GWIN-06", PARTIAL, WINDOWED, ("MAX(qty)", "MAX(qty * 2)")),
    ("GWIN-02", INCOMPATIBLE, WINDOWED, ("SUM(amount), MAX(qty)", "1")),
    ("WTVF-04", PARTIAL, TVF, ("MAX(qty)", "MIN(qty)")),
    ("WTVF-11", INCOMPATIBLE, TVF, ("'5' MINUTE", "'10' MINUTE")),
    ("WTVF-24", INCOMPATIBLE, TVF, ("MAX(qty)", "MAX(qty + 1)")),
    ("WTVF-01", PARTIAL, TVF, ("MAX(qty)", "MAX(qty), COUNT(*)")),
    ("DEDUP-01", FULL, FIRST, ("order_id, product", "order_id, product, amount")),
    ("DEDUP-12", INCOMPATIBLE, FIRST, ("pt ASC", "pt DESC")),
    ("TOPN-02", FULL, TOP, ("region, amount", "region, amount, rk")),
    ("TOPN-08", INCOMPATIBLE, TOP, ("ORDER BY amount", "ORDER BY qty")),
    ("TOPN-08", INCOMPATIBLE, TOP, ("ROW_NUMBER", "RANK")),
    ("TOPN-10", INCOMPATIBLE, TOP, ("rk <= 5", "rk <= 1")),
    ("WTOPN-01", FULL, WINDOW_TOP, ("window_start FROM (", "window_start, window_end FROM (")),
    ("WTOPN-05", INCOMPATIBLE, WINDOW_TOP, ("'10' MINUTE", "'20' MINUTE")),
    ("IJOIN-02", INCOMPATIBLE, INTERVAL, ("o.order_id = p.order_id", "o.order_id = p.pay_id")),
    ("IJOIN-02", INCOMPATIBLE, INTERVAL, ("HOUR;", "HOUR AND o.amount > p.paid;")),
    ("CEP-03", INCOMPATIBLE, MATCH, ("SKIP PAST LAST ROW", "SKIP TO NEXT ROW")),
    ("WHERE-03", INCOMPATIBLE, FILTERED, ("> 10", "> 20")),
    ("SINK-01", FULL, BOTH, (BOTH[: BOTH.index(" INSERT INTO copies")], "")),
    ("LIM-06", INCOMPATIBLE, ONE, (ONE, BOTH)),
    ("LIM-06", INCOMPATIBLE, GROUPED, (GROUPED[15:-1], ALL_ROWS)),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "verdict", "old", "change"), CHANGES, ids=lambda x: str(x)[:30])
def test_a_change_is_judged_by_its_rule(
    rule: str, verdict: Verdict, old: str, change: tuple[str, str]
) -> None:
    ddl = ORDERS + PAYMENTS + SINKS
    report = check(ddl + old, ddl + edited(old, change))
    assert (report.verdict, rule in report.rules) == (verdict, True), report.rules


def test_a_changed_filter_goes_through_with_ignore_filter() -> None:
    old, new = (edited(GROUPED, ("GROUP", f"WHERE qty > {n} GROUP")) for n in (10, 20))
    report = check(ORDERS + old, ORDERS + new, IGNORE)
    assert (report.verdict, report.rules) == (FULL, ("WHERE-04",))
    (reason,) = report.operators[0].reasons
    assert "old state may still hold rows" in reason.message


def test_an_option_set_in_the_new_script_counts() -> None:
    old, new = (edited(GROUPED, ("GROUP", f"WHERE qty > {n} GROUP")) for n in (10, 20))
    key = "table.optimizer.state-compatibility.ignore-filter"
    assert check(ORDERS + old, f"SET '{key}' = 'true';\n{ORDERS}{new}").verdict is FULL


def test_a_union_input_more_or_less() -> None:
    more = ORDERS + ORDERS.replace("TABLE orders", "TABLE orders2")
    wide = edited(UNION, ("orders)", "orders UNION ALL SELECT * FROM orders2)"))
    wider = edited(wide, ("orders2)", "orders2 UNION ALL SELECT * FROM orders2)"))
    assert check(more + wide, more + wider).rules == ("UNION-02",)
    assert check(more + wider, more + wide).rules == ("UNION-03",)


def test_limit_takes_no_other_columns() -> None:
    old, new = "SELECT order_id FROM orders LIMIT 9;", "SELECT order_id, qty FROM orders LIMIT 9;"
    report = check(ORDERS + old, ORDERS + new)
    assert (report.verdict, report.rules) == (INCOMPATIBLE, ("LIMIT-03",))


def test_the_primary_key_of_a_normalised_source() -> None:
    old = ACCOUNTS + "SELECT id, shard, balance FROM accounts;"
    report = check(old, old.replace("KEY (id)", "KEY (id, shard)"))
    assert report.verdict is INCOMPATIBLE
    assert "SRC-09" in report.rules


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("'print'", "'blackhole'", "SINK-05"),
        ("'print'", "'print', 'print-identifier' = 'a'", "SINK-06"),
    ],
)
def test_sinks_count_as_stateless(old: str, new: str, rule: str) -> None:
    script = ORDERS + SINKS + BOTH
    report = check(script, script.replace(old, new))
    assert (report.verdict, report.rules) == (FULL, (rule,))


ZONES = {
    "window": "SELECT k, SUM(v), window_end FROM TABLE(TUMBLE(TABLE instants, DESCRIPTOR(seen),"
    " INTERVAL '1' DAY)) GROUP BY k, window_start, window_end;",
    "group window": "SELECT k, SUM(v) FROM instants GROUP BY k, TUMBLE(seen, INTERVAL '1' DAY);",
    "expression": "SELECT d, SUM(v) FROM"
    " (SELECT CAST(seen AS DATE) AS d, v FROM instants) GROUP BY d;",
}


@pytest.mark.parametrize("query", ZONES.values(), ids=ZONES)
def test_the_time_zone_is_part_of_what_reads_it(query: str) -> None:
    old = INSTANTS + query
    new = f"SET 'table.local-time-zone' = 'Asia/Tokyo';\n{old}"
    report = check(old, new)
    assert report.verdict is INCOMPATIBLE
    assert "Asia/Tokyo" in report.operators[0].reasons[0].message


def test_the_time_zone_makes_no_difference_elsewhere() -> None:
    new = f"SET 'table.local-time-zone' = 'Asia/Tokyo';\n{ORDERS}{TVF}"
    assert check(ORDERS + TVF, new).verdict is FULL


def test_a_ttl_never_changes_a_verdict() -> None:
    for query in (GROUPED, OVER, SORTED, FIRST, TOP, edited(FIRST, ("ASC", "DESC"))):
        for ttl in ("0", "1 h"):
            new = f"SET 'table.exec.state.ttl' = '{ttl}';\n{ORDERS}{query}"
            assert check(ORDERS + query, new).verdict is FULL, (query, ttl)


def test_rows_that_are_taken_back_need_other_state() -> None:
    """The same aggregate over an updating input keeps values that the other one doesn't."""
    inner = "SELECT region, MIN(amount) AS amount FROM orders GROUP BY region"
    old = "SELECT region, MAX(amount) FROM orders GROUP BY region;"
    report = check(ORDERS + old, ORDERS + edited(old, ("orders", f"({inner})")))
    assert report.verdict is INCOMPATIBLE


SELF = (
    "SELECT a.region, SUM({of}.amount) FROM orders AS a JOIN orders AS b ON a.order_id = b.order_id"
    " AND a.order_time BETWEEN b.order_time AND b.order_time + INTERVAL '1' HOUR"
    " AND {test} GROUP BY a.region;"
)


@pytest.mark.parametrize(
    ("of", "test"), [("b", "a.qty > b.qty"), ("a", "b.qty > a.qty"), ("b", "b.qty > a.qty")]
)
def test_both_sides_of_a_table_joined_with_itself_are_two_things(of: str, test: str) -> None:
    old = ORDERS + SELF.format(of="a", test="a.qty > b.qty")
    assert check(old, ORDERS + SELF.format(of=of, test=test)).verdict is INCOMPATIBLE
    assert check(old, old).verdict is FULL


def test_another_metadata_key_is_another_column() -> None:
    ddl = (
        "CREATE TABLE files (k STRING, at_file STRING METADATA FROM '{key}') WITH"
        " ('connector' = 'filesystem', 'path' = 'p', 'format' = 'csv');"
    )
    query = "SELECT k, COUNT(*), MAX(at_file) FROM files GROUP BY k;"
    old, new = (ddl.format(key=key) + query for key in ("file.path", "file.name"))
    assert (check(old, old).verdict, check(old, new).verdict) == (FULL, PARTIAL)


def test_a_computed_value_that_reads_a_retyped_column() -> None:
    """The type of the result stays, the values need not."""
    query = "SELECT {key}, COUNT(*), SUM(CAST(amount / qty AS INT)) FROM orders GROUP BY {key};"
    new = ORDERS.replace("qty INT", "qty DOUBLE")
    for key, verdict in (("region", PARTIAL), ("CAST(qty / 2 AS INT)", INCOMPATIBLE)):
        report = check(ORDERS + query.format(key=key), new + query.format(key=key))
        assert report.verdict is verdict
    filtered = query.format(key="region").replace("GROUP", "WHERE qty > 1 GROUP")
    assert check(ORDERS + filtered, new + filtered).verdict is INCOMPATIBLE


def test_a_retyped_column_on_the_way() -> None:
    query = (
        "SELECT qty, COUNT(*) FROM (SELECT o.qty FROM orders AS o JOIN payments AS p"
        " ON CAST(o.qty / 2 AS BIGINT) = p.paid) GROUP BY qty;"
    )
    new = PAYMENTS.replace("paid BIGINT", "paid INT")
    report = check(ORDERS + PAYMENTS + query, ORDERS + new + query)
    assert "SRC-07" in {reason.rule for reason in report.operators[-1].reasons}


def test_the_order_of_partition_keys_over_time_is_free() -> None:
    old, new = (
        f"SELECT region, SUM(qty) OVER (PARTITION BY {k} ORDER BY order_time) FROM orders;"
        for k in ("region, product", "product, region")
    )
    assert check(ORDERS + old, ORDERS + new).verdict is FULL


def test_aggregates_come_and_go_in_windows_that_fire_early() -> None:
    early = {
        "table.exec.emit.early-fire.enabled": "true",
        "table.exec.emit.early-fire.delay": "10 s",
    }
    more, less = (
        WINDOWED.replace("MAX(qty)", "MAX(qty), COUNT(*)"),
        WINDOWED.replace(", MAX(qty)", ""),
    )
    assert check(ORDERS + WINDOWED, ORDERS + more, early).verdict is PARTIAL
    assert check(ORDERS + WINDOWED, ORDERS + less, early).verdict is FULL


def test_a_zone_matters_only_to_what_reads_it() -> None:
    """What reads it is gone: the rest goes on."""
    old = "SELECT k, SUM(v), MAX(CAST(seen AS STRING)) FROM instants GROUP BY k;"
    new = "SELECT k, SUM(v) FROM instants GROUP BY k;"
    assert check(INSTANTS + old, INSTANTS + new).verdict is FULL


def test_a_removed_operator_whose_sink_stays_is_lost() -> None:
    report = check(
        ORDERS + "SELECT order_id FROM orders LIMIT 9;", ORDERS + "SELECT order_id FROM orders;"
    )
    assert (report.verdict, report.rules[-1]) == (INCOMPATIBLE, "LIMIT-04")


def test_operators_are_matched_to_what_they_have_most_in_common_with() -> None:
    one = "INSERT INTO totals SELECT region, SUM(amount) FROM orders GROUP BY region;"
    two = "INSERT INTO copies SELECT product, SUM(qty) FROM orders GROUP BY product;"
    ddl = ORDERS + SINKS.replace("region STRING, amount", "k STRING, amount")
    report = check(ddl + one + two, ddl + two + one)
    assert report.verdict is FULL
    assert [(o.old, o.new) for o in report.operators] == [(1, 0), (0, 1)]


def test_every_kind_that_keeps_state_has_its_strictness() -> None:
    assert {kind.__name__ for kind in TRAITS} == set(STRICTNESS)
    kinds = {kind for kind in _kinds(PhysicalNode) if "state" in vars(kind)}
    assert {kind.__name__ for kind in kinds if _is_ours(kind)} <= set(STRICTNESS)


def _is_ours(kind: type) -> bool:
    """Other tests have nodes of their own."""
    return kind.__module__.startswith("sameriver.")


def _kinds(kind: type) -> set[type]:
    found: set[type] = set(kind.__subclasses__())
    return found.union(*(_kinds(one) for one in found))


def test_an_interval_in_another_unit() -> None:
    """``4 HOUR -> 240 MINUTE``; three digits need saying so, as in Flink."""
    new = edited(INTERVAL, ("'4' HOUR", "'240' MINUTE(3)"))
    report = check(ORDERS + PAYMENTS + INTERVAL, ORDERS + PAYMENTS + new)
    assert (report.verdict, report.rules) == (FULL, ("LIM-11",))


def test_what_shapes_rows_does_so_in_its_order() -> None:
    """The first rows of each product among nine rows, and nine of the first rows of each."""
    first = (
        "(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY product ORDER BY pt) AS rk"
        " FROM {}) WHERE rk = 1)"
    )
    nine = "(SELECT region, product, amount, pt FROM {} LIMIT 9)"
    query = "SELECT region, SUM(amount) FROM {} GROUP BY region;"
    old = query.format(nine.format(first.format("orders")))
    new = query.format(first.format(nine.format("orders")))
    report = check(ORDERS + old, ORDERS + new)
    assert [one.verdict for one in report.operators] == [INCOMPATIBLE] * 3
