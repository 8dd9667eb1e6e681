"""What a change does to state on Flink: with names of ours, and by Flink alone."""

from __future__ import annotations

import pytest

from sameriver.compat import Rules, Verdict
from sameriver.flink.compare import compare_plans
from sameriver.flink.judging import judge
from sameriver.flink.names import named
from sameriver.flink.plain import Plain
from sameriver.flink.report import FlinkOperator, FlinkReport, Outcome, flink_markdown, flink_text

from .queries import stored

FULL, PARTIAL, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.INCOMPATIBLE
KEPT, REFUSED, NEW, LOST = Outcome.KEPT, Outcome.REFUSED, Outcome.NEW, Outcome.LOST
IGNORE_FILTER = Rules(ignore_filter=True)


def report(old: str, new: str, rules: Rules | None = None) -> FlinkReport:
    return judge(named(stored(old)), stored(new), rules or Rules()).report


def operator(told: FlinkReport) -> FlinkOperator:
    """The first one that is neither source nor sink."""
    return next(one for one in told.operators if one.kind not in ("Source", "Sink"))


# Each row of what was observed of plain SQL, and what becomes of it here.
PLAIN_SQL = [
    ("sum", "sum", KEPT, FULL, Plain.KEPT),
    ("sum", "sum_ttl", KEPT, FULL, Plain.KEPT),
    ("sum", "sum_having", KEPT, FULL, Plain.KEPT),
    ("sum", "sum_shown_otherwise", KEPT, FULL, Plain.KEPT),
    # windows that are open would lose what came before
    ("cumulate", "cumulate_longer", REFUSED, INCOMPATIBLE, Plain.WRONG),
    ("sum_where", "sum_where_other", KEPT, INCOMPATIBLE, Plain.KEPT),
    ("sum", "sum_where", KEPT, INCOMPATIBLE, Plain.KEPT),
    ("cumulate", "cumulate_where", KEPT, INCOMPATIBLE, Plain.UNMAPPED),
    ("last", "last_where", KEPT, INCOMPATIBLE, Plain.KEPT),
    ("join", "join_where", KEPT, INCOMPATIBLE, Plain.KEPT),
    ("sum", "sum_and_count", KEPT, PARTIAL, Plain.FAILS),
    ("cumulate", "cumulate_and_count", REFUSED, INCOMPATIBLE, Plain.FAILS),
    ("last", "last_column_more", REFUSED, INCOMPATIBLE, Plain.FAILS),
    ("join", "join_column_more", REFUSED, INCOMPATIBLE, Plain.FAILS),
    ("sum", "sum_by_two", REFUSED, INCOMPATIBLE, Plain.FAILS),
    ("sum", "sum_mini_batch", KEPT, FULL, Plain.UNMAPPED),
    ("first", "first_column_more", KEPT, FULL, Plain.KEPT),
    ("sum", "max", REFUSED, INCOMPATIBLE, Plain.WRONG),
    ("sum", "sum_of_double", REFUSED, INCOMPATIBLE, Plain.WRONG),
    ("sum", "sum_by_other", REFUSED, INCOMPATIBLE, Plain.WRONG),
]


@pytest.mark.parametrize(("old", "new", "outcome", "verdict", "plain"), PLAIN_SQL)
def test_what_was_observed(
    old: str, new: str, outcome: Outcome, verdict: Verdict, plain: Plain
) -> None:
    told = report(old, new)
    one = operator(told)
    assert (one.outcome, told.verdict, one.plain) == (outcome, verdict, plain)


# Each row of what was restored by names of nodes.
BY_NAME = [
    ("sum", "sum_where"),
    ("last", "last_where"),
    ("join", "join_where"),
    ("cumulate", "cumulate_where"),
    ("sum", "sum_having"),
    ("sum", "sum_shown_otherwise"),
    ("sum", "sum_mini_batch"),
    ("one_insert", "two_inserts"),
    ("sum", "sum_joined"),
]


@pytest.mark.parametrize(("old", "new"), BY_NAME)
def test_names_keep_what_places_lose(old: str, new: str) -> None:
    told = report(old, new, IGNORE_FILTER)
    assert told.verdict in (FULL, PARTIAL)
    was = {one.operator for one in report(old, old).operators}
    now = {one.operator for one in told.operators if one.outcome is KEPT}
    assert was <= now
    assert not told.drops


def test_a_changed_filter_is_told() -> None:
    told = report("sum", "sum_where")
    assert operator(told).reasons == (
        "The condition `t.w > 3` below it is new: its state holds rows that never met it,"
        " and Flink never filters old state again.",
    )
    assert "ignore-filter" in told.ways[0]
    accepted = report("sum", "sum_where", IGNORE_FILTER)
    assert accepted.verdict is FULL
    assert "is accepted" in operator(accepted).reasons[-1]


def test_a_filter_that_is_gone_is_told() -> None:
    assert "is gone" in operator(report("sum_where", "sum")).reasons[0]


def test_silently_wrong_is_said_in_plain_words() -> None:
    one = operator(report("sum", "max"))
    assert one.reasons[0] == "The aggregate `SUM(t.v)` becomes `MAX(t.v)`."
    assert "numbers would be wrong" in one.warning


def test_moved_and_removed_aggregates_go_on() -> None:
    for old, new in (("sum_and_count", "count_and_sum"), ("sum_and_count", "sum")):
        told = report(old, new)
        assert (operator(told).outcome, told.verdict) == (KEPT, FULL)


def test_an_added_aggregate_is_computed_beside() -> None:
    told = report("sum", "sum_and_count")
    fresh = next(one for one in told.operators if one.outcome is NEW)
    assert fresh.kind == "GroupAggregate"
    assert "`COUNT(*)`" in fresh.reasons[0]
    assert "counts from the upgrade" in fresh.reasons[0]
    assert told.ways[0] == "Let what is new start empty: '--allow-partial'."


def test_what_was_computed_beside_goes_on() -> None:
    first = judge(named(stored("sum")), stored("sum_and_count"), Rules())
    again = judge(first.plan, stored("sum_and_count"), Rules())
    assert again.report.verdict is FULL
    assert again.plan == first.plan
    back = judge(first.plan, stored("sum"), Rules())
    assert operator(back.report).outcome is KEPT


def test_nothing_is_computed_beside_below_other_state() -> None:
    told = report("sum_ranked", "sum_and_count_ranked")
    assert (operator(told).outcome, told.verdict) == (REFUSED, INCOMPATIBLE)


def test_nothing_is_computed_beside_if_no_old_aggregate_stays() -> None:
    assert report("sum", "max_and_count").verdict is INCOMPATIBLE


def test_an_insert_that_is_gone_drops_its_state() -> None:
    told = report("two_inserts", "one_insert")
    assert told.verdict is FULL
    assert told.drops
    lost = [one for one in told.operators if one.outcome is LOST]
    assert [one.kind for one in lost] == ["GroupAggregate", "Sink"]


def test_an_operator_that_is_gone_below_its_sink_is_incompatible() -> None:
    told = report("sum_joined", "sum")
    gone = next(one for one in told.operators if one.kind == "Join")
    assert (gone.outcome, gone.verdict) == (LOST, INCOMPATIBLE)


def test_a_renamed_sink_counts_only_if_asked() -> None:
    assert report("one_insert", "other_insert").verdict is FULL
    assert report("one_insert", "other_insert", Rules(ignore_sink=False)).verdict is INCOMPATIBLE


def test_new_state_over_new_sources_alone_is_whole() -> None:
    """It reads them from their start."""
    told = compare_plans(named(stored("stateless")), named(stored("sum_taken_back")))
    fresh = next(one for one in told.operators if one.kind == "GroupAggregate")
    assert (fresh.outcome, fresh.verdict) == (NEW, FULL)


def test_report_as_text() -> None:
    assert flink_text(report("sum", "max")).splitlines() == [
        "INCOMPATIBLE: the state can't be used",
        "",
        "Source t  kept  FULLY_COMPATIBLE",
        "  Nothing changes for its state.",
        "",
        "GroupAggregate t.k  refused  INCOMPATIBLE",
        "  The aggregate `SUM(t.v)` becomes `MAX(t.v)`.",
        "  Its state means something else now, so it is not restored into this operator.",
        "  Flink by itself would restore it without a word, and its numbers would be wrong: Flink"
        " compares types only.",
        "",
        "Ways forward",
        "  - Start over without the old state: '--fresh'.",
    ]


def test_report_as_markdown_and_json() -> None:
    told = report("sum", "max")
    text = flink_markdown(told, "old.sql", "new.sql")
    assert "| `GroupAggregate t.k` | refused | INCOMPATIBLE | The aggregate `SUM(t.v)`" in text
    data = told.to_json()
    assert data["verdict"] == "INCOMPATIBLE"
    assert data["engine"] == "flink"
