"""The figures as text."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from benchmarks.nexmark.figures import Figures, Targets

ENGINES = ("sameriver", "flink", "duckdb")
_HEAD = (
    "query", "sameriver", "Flink", "DuckDB", "to Flink", "to DuckDB",
    "whole process", "Flink's", "peak MiB", "Flink's", "same result",
)  # fmt: skip


def table(found: Sequence[Figures]) -> str:
    """A line a query: thousands of events a second, ratios, whole times, memory, equality."""
    lines = [_line(_HEAD), _line(["---"] + ["---:"] * (len(_HEAD) - 2) + ["---"])]
    lines += [_line(_cells(one)) for one in found]
    return "\n".join(lines)


def summary(found: Sequence[Figures], targets: Targets) -> str:
    """The median and the least ratio to Flink, and what falls short of the targets."""
    ratios = {one.query: ratio for one in found if (ratio := one.ratio("flink")) is not None}
    lines = []
    if ratios:
        least = min(ratios, key=lambda query: ratios[query])
        lines.append(
            f"Events/s to Flink's: {statistics.median(ratios.values()):.1f}x in the median of "
            f"{len(ratios)} queries, {ratios[least]:.1f}x at least ({least})."
        )
    rested = [ratio for one in found if (ratio := one.rested("flink")) is not None]
    if rested:
        lines.append(
            f"Of jobs right after the turn of the others: {statistics.median(rested):.1f}x in the "
            f"median, {min(rested):.1f}x at least; they are not in the table."
        )
    return "\n".join([*lines, *(f"- {line}" for line in targets.missed(found))])


def report(sections: Mapping[str, str], settings: Mapping[str, str]) -> str:
    """The whole page: how it was measured, and a section for each format that was read."""
    lines = ["# Nexmark, side by side with Apache Flink", ""]
    lines += [f"- {name}: {value}" for name, value in settings.items()]
    for title, body in sections.items():
        lines += ["", f"## {title}", "", body]
    return "\n".join(lines) + "\n"


def _cells(one: Figures) -> list[str]:
    ours, theirs = (one.runs.get(name) for name in ("sameriver", "flink"))
    return [
        one.query,
        *(_number(_thousands(one.rate(engine)), ",.0f") for engine in ENGINES),
        _number(one.ratio("flink"), ".1f", "x"),
        _number(one.ratio("duckdb"), ".2f", "x"),
        *(_number(None if runs is None else runs.whole, ".1f", " s") for runs in (ours, theirs)),
        *(_number(None if runs is None else runs.peak / 2**20, ",.0f") for runs in (ours, theirs)),
        one.equal,
    ]


def _thousands(rate: float | None) -> float | None:
    return None if rate is None else rate / 1000


def _number(value: float | None, form: str, unit: str = "") -> str:
    return "-" if value is None else f"{value:{form}}{unit}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
