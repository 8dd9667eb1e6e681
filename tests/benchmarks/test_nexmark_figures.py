"""Ratios, targets and the page they are written on."""

from __future__ import annotations

from benchmarks.nexmark.figures import Figures, Runs, Targets
from benchmarks.nexmark.report import report, summary, table


def figures(query: str, ours: list[float], theirs: list[float], peak: int = 2) -> Figures:
    return Figures(
        query=query,
        events=1_000_000,
        runs={
            "sameriver": Runs(ours, whole=1.25, peak=peak * 2**20),
            "flink": Runs(theirs, whole=20.0, peak=4 * 2**20),
        },
        equal="yes",
    )


def test_the_middle_run_counts() -> None:
    one = figures("q1", [1.0, 9.0, 0.5], [8.0, 6.0, 100.0])
    assert one.rate("sameriver") == 1_000_000
    assert one.ratio("flink") == 8.0
    assert one.memory("flink") == 0.5


def test_an_engine_that_did_not_run_a_query_has_no_ratio() -> None:
    one = figures("q1", [1.0], [])
    assert one.ratio("flink") is None
    assert one.ratio("duckdb") is None
    assert one.memory("duckdb") is None


def test_targets_name_what_is_missed() -> None:
    found = [figures("q1", [1.0], [4.0]), figures("q2", [1.0], [9.0], peak=5)]
    assert Targets().missed(found) == [
        "q1: 4.0x of Flink's events/s, not 5x",
        "median: 6.5x of Flink's events/s, not 10x",
        "q2: 1.25x of Flink's peak memory",
    ]


def test_nothing_is_missed_at_the_targets() -> None:
    assert Targets().missed([figures("q1", [1.0], [10.0], peak=4)]) == []


def test_a_line_for_each_query() -> None:
    head, rule, line = table([figures("q1", [1.0], [8.0])]).splitlines()
    assert head.startswith("| query | sameriver | Flink |")
    assert rule.count("|") == head.count("|") == line.count("|")
    assert line == "| q1 | 1,000 | 125 | - | 8.0x | - | 1.2 s | 20.0 s | 2 | 4 | yes |"


def test_the_summary_gives_median_and_least() -> None:
    found = [figures("q1", [1.0], [20.0]), figures("q2", [1.0], [10.0])]
    assert summary(found, Targets()) == (
        "Events/s to Flink's: 15.0x in the median of 2 queries, 10.0x at least (q2)."
    )


def test_the_summary_tells_of_jobs_after_a_rest() -> None:
    found = figures("q1", [1.0], [20.0])
    found.runs["sameriver"].rested = [2.0, 4.0, 2.0]
    assert "rest" not in summary([found], Targets())
    found.runs["flink"].rested = [22.0]
    assert "right after the turn of the others: 11.0x in the median" in summary([found], Targets())


def test_a_page_has_settings_and_sections() -> None:
    page = report({"CSV": "body"}, {"command": "make"})
    assert page.endswith("- command: make\n\n## CSV\n\nbody\n")
