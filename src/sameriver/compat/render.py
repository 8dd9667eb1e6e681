"""Reports for people: as text for a terminal, as markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sameriver.common.errors import Position
from sameriver.compat.report import CompatibilityReport, OperatorReport, Reason, Verdict

MEANING = {
    Verdict.FULL: "the state goes on; results are those of the new query over all history",
    Verdict.PARTIAL: "what is unchanged goes on, what is new starts empty",
    Verdict.UNKNOWN: "whether the state is still right can't be told",
    Verdict.INCOMPATIBLE: "the state can't be used",
}
_SIGNS = {
    Verdict.FULL: "✅",
    Verdict.PARTIAL: "⚠️",
    Verdict.UNKNOWN: "❓",
    Verdict.INCOMPATIBLE: "❌",
}


def report_text(report: CompatibilityReport, old: str = "old", new: str = "new") -> str:
    """The report as plain text; ``old`` and ``new`` name the scripts."""
    lines = [f"{report.verdict.value}: {MEANING[report.verdict]}"]
    for operator in report.operators:
        lines += ["", f"{operator.name}  {operator.verdict.value}"]
        lines += _operator_lines(operator, old, new)
    if report.reasons:
        lines += ["", "Outside of stateful operators"]
        for reason in report.reasons:
            lines += _reason_lines(reason, old, new)
    if report.ways:
        lines += ["", "Ways forward", *(f"  - {way}" for way in report.ways)]
    return "\n".join(lines) + "\n"


def _operator_lines(operator: OperatorReport, old: str, new: str) -> Iterator[str]:
    yield f"  {_matched(operator, old, new)}"
    if not operator.reasons:
        yield "  nothing changes for its state"
    for reason in operator.reasons:
        yield from _reason_lines(reason, old, new)


def _matched(operator: OperatorReport, old: str, new: str) -> str:
    """What of the old plan it goes on with."""
    was = _places(operator.old_position, None, old, new)
    now = _places(None, operator.new_position, old, new)
    if operator.new is None:
        return f"gone, was at {was}" if was else "gone"
    here = f"at {now}, " if now else ""
    if operator.old is None:
        return f"{here}matched with nothing in {old}"
    partner = "" if operator.partner == operator.name else f" {operator.partner}"
    return f"{here}matched with{partner or ' the same'}{f' at {was}' if was else ''}"


def _reason_lines(reason: Reason, old: str, new: str) -> Iterator[str]:
    yield f"  {reason.rule}  {reason.message}"
    places = _places(reason.old, reason.new, old, new)
    if places:
        yield f"    at {places}"
    if reason.outputs:
        yield f"    output columns: {', '.join(reason.outputs)}"


def _places(one: Position | None, two: Position | None, old: str, new: str) -> str:
    pairs = ((one, old), (two, new))
    return ", ".join(f"{name}:{at.line}:{at.column}" for at, name in pairs if at is not None)


def report_markdown(report: CompatibilityReport, old: str = "old", new: str = "new") -> str:
    """The report as markdown: a heading, a row an operator and reason, and the ways forward."""
    sign = _SIGNS[report.verdict]
    lines = [f"### {sign} State: {report.verdict.value}", ""]
    lines += [f"`{old}` → `{new}`: {MEANING[report.verdict]}.", ""]
    lines += ["| Operator | Verdict | Why | Where |", "|---|---|---|---|"]
    for operator in report.operators:
        lines += _rows(operator, old, new)
    lines += [_row("", reason, "", old, new) for reason in report.reasons]
    if report.outputs:
        columns = ", ".join(f"`{name}`" for name in report.outputs)
        lines += ["", f"Output columns affected: {columns}."]
    if report.ways:
        lines += ["", "**Ways forward**", "", *(f"- {_cell(way)}" for way in report.ways)]
    return "\n".join(lines) + "\n"


def _rows(operator: OperatorReport, old: str, new: str) -> Sequence[str]:
    name = f"{operator.kind} {_code(operator.label)}".strip()
    verdict = f"{_SIGNS[operator.verdict]} {operator.verdict.value}"
    if not operator.reasons:
        places = _places(operator.old_position, operator.new_position, old, new)
        return [f"| {name} | {verdict} | nothing changes for its state | {places} |"]
    first, *rest = operator.reasons
    return [
        _row(name, first, verdict, old, new),
        *(_row("", reason, "", old, new) for reason in rest),
    ]


def _row(name: str, reason: Reason, verdict: str, old: str, new: str) -> str:
    places = _places(reason.old, reason.new, old, new)
    return f"| {name} | {verdict} | {_cell(reason.message)} ({reason.rule}) | {places} |"


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    """Text that doesn't end its cell."""
    return text.replace("|", "\\|").replace("\n", " ")
