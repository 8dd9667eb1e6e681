"""What a check against Flink says."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from sameriver.common.dataclass import dataclass
from sameriver.compat.render import MEANING
from sameriver.compat.report import Json, Verdict
from sameriver.flink.plain import Plain


class Outcome(Enum):
    """What happens to the state of an operator."""

    KEPT = "kept"
    """It is restored under the operator's name."""
    LOST = "lost"
    """Nothing in the new plan takes it."""
    REFUSED = "refused"
    """What takes its place has a state of another meaning: it is not restored into it."""
    NEW = "new"
    """There is no old state."""


_PLAIN = {
    Plain.KEPT: "Flink by itself would keep it too.",
    Plain.WRONG: "Flink by itself would restore it without a word, and its numbers would be wrong:"
    " Flink compares types only.",
    Plain.FAILS: "Flink by itself would fail as soon as the job runs: the type of a state row is"
    " another.",
    Plain.UNMAPPED: "Flink by itself would refuse to start the job: it finds operators by their"
    " place in the plan, and nothing like it is at its place.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkOperator:
    """What becomes of one stateful operator, source or sink.

    Attributes:
        kind, label: what it is, and by what.
        name: what its state goes by in savepoints; the old one if it goes.
        outcome: what happens to its state.
        verdict: what that is worth.
        reasons: sentences.
        plain: what Flink by itself would do, if it was in the old plan.
    """

    kind: str
    label: str
    name: str
    outcome: Outcome
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    plain: Plain | None = None

    @property
    def operator(self) -> str:
        """``GroupAggregate t.k``."""
        return f"{self.kind} {self.label}".strip()

    @property
    def warning(self) -> str:
        """What Flink by itself would do, where that is something else; empty: nothing else."""
        if self.plain is None or (self.plain is Plain.KEPT and self.outcome is Outcome.KEPT):
            return ""
        return _PLAIN[self.plain]

    def to_json(self) -> Json:
        return {
            "operator": self.operator,
            "kind": self.kind,
            "name": self.name,
            "outcome": self.outcome.value,
            "verdict": self.verdict.value,
            "reasons": list(self.reasons),
            "plain_flink": None if self.plain is None else self.plain.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkReport:
    """What a change means for the state of a job on Flink.

    Attributes:
        verdict: the worst of the operators'.
        operators: those of the new plan, inputs first, then those that go.
        ways: what can be done about the verdict.
    """

    verdict: Verdict
    operators: tuple[FlinkOperator, ...]
    ways: tuple[str, ...] = ()

    @property
    def drops(self) -> bool:
        """Whether the savepoint holds state that the new plan doesn't take, and need not.

        Flink then has to be told: ``execution.state-recovery.ignore-unclaimed-state``.
        """
        return any(one.outcome is Outcome.LOST for one in self.operators)

    def to_json(self) -> Json:
        """The report as JSON data; its form is documented and stable."""
        return {
            "version": 1,
            "engine": "flink",
            "verdict": self.verdict.value,
            "operators": [operator.to_json() for operator in self.operators],
            "ways_forward": list(self.ways),
        }


def flink_text(report: FlinkReport) -> str:
    """The report as plain text."""
    lines = [f"{report.verdict.value}: {MEANING[report.verdict]}"]
    for one in report.operators:
        lines += ["", f"{one.operator}  {one.outcome.value}  {one.verdict.value}"]
        lines += [f"  {sentence}" for sentence in _sentences(one)]
    if report.ways:
        lines += ["", "Ways forward", *(f"  - {way}" for way in report.ways)]
    return "\n".join(lines) + "\n"


def flink_markdown(report: FlinkReport, old: str, new: str) -> str:
    """The report as markdown: a heading, a row an operator, and the ways forward."""
    lines = [f"### State on Flink: {report.verdict.value}", ""]
    lines += [f"`{old}` → `{new}`: {MEANING[report.verdict]}.", ""]
    lines += ["| Operator | State | Verdict | Why |", "|---|---|---|---|"]
    for one in report.operators:
        why = " ".join(_sentences(one)).replace("|", "\\|")
        operator = one.operator.replace("|", "\\|")
        lines.append(f"| `{operator}` | {one.outcome.value} | {one.verdict.value} | {why} |")
    if report.ways:
        lines += ["", "**Ways forward**", "", *(f"- {way}" for way in report.ways)]
    return "\n".join(lines) + "\n"


def _sentences(operator: FlinkOperator) -> Iterator[str]:
    yield from operator.reasons or ("Nothing changes for its state.",)
    if operator.warning:
        yield operator.warning
