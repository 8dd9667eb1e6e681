"""What can be done about a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sameriver.compat.report import OperatorReport, Reason, Verdict

IGNORE_FILTER = "table.optimizer.state-compatibility.ignore-filter"
IGNORE_SINK = "table.optimizer.state-compatibility.ignore-sink"
TRUSTED = "sameriver.state-compatibility.trusted-functions"

_FILTERS = ("WHERE-01", "WHERE-03", "WHERE-05", "RJOIN-06", "IJOIN-07")
_BACKFILL = "Fill it from history: '--backfill' replays the sources into the new version."
_FRESH = "Start over without the old state: '--fresh'."


def operator_ways(verdict: Verdict, reasons: Sequence[Reason]) -> tuple[str, ...]:
    """Ways forward for one operator."""
    ways: list[str] = []
    rules = [reason.rule for reason in reasons if reason.verdict is verdict]
    if verdict is Verdict.INCOMPATIBLE and rules and set(rules) <= set(_FILTERS):
        ways.append(f"Accept old state as it is: SET '{IGNORE_FILTER}' = 'true'.")
    if verdict is Verdict.UNKNOWN:
        ways.append(f"If results are the same as before, name the functions in '{TRUSTED}'.")
    if "SINK-07" in rules:
        ways.append(f"Let sinks count as stateless: SET '{IGNORE_SINK}' = 'true'.")
    return tuple(ways)


def job_ways(verdict: Verdict, operators: Iterable[OperatorReport]) -> tuple[str, ...]:
    """Ways forward for the job, the least costly first."""
    own = tuple(dict.fromkeys(way for operator in operators for way in operator.ways))
    match verdict:
        case Verdict.FULL:
            return own
        case Verdict.PARTIAL:
            return (*own, "Let what is new start empty: '--allow-partial'.", _BACKFILL)
    return (*own, _BACKFILL, _FRESH)
