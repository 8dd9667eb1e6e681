"""What a comparison says: verdicts, reasons, ways forward, and what becomes of each state table."""

from __future__ import annotations

from enum import Enum

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position

Json = dict[str, object]


class Verdict(Enum):
    """What can be done with the old state, from best to worst."""

    FULL = "FULLY_COMPATIBLE"
    """Results equal those of the new query over all history."""
    PARTIAL = "PARTIALLY_COMPATIBLE"
    """What is unchanged goes on, what is new starts empty."""
    UNKNOWN = "UNKNOWN"
    """It can't be decided from what is known."""
    INCOMPATIBLE = "INCOMPATIBLE"
    """The state can't be used."""

    @property
    def badness(self) -> int:
        return list(Verdict).index(self)

    def satisfies(self, required: Verdict) -> bool:
        """Whether it is at least as good as what is required."""
        return self.badness <= required.badness


def worst(verdicts: list[Verdict]) -> Verdict:
    """The worst of them; FULL if there are none."""
    return max(verdicts, key=lambda verdict: verdict.badness, default=Verdict.FULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One difference and what it means.

    Attributes:
        rule: id of the rule of compatibility.
        message: a sentence.
        verdict: what this difference alone would give.
        old, new: where the scripts say it, if known.
        outputs: the output columns that it affects.
    """

    rule: str
    message: str
    verdict: Verdict
    old: Position | None = None
    new: Position | None = None
    outputs: tuple[str, ...] = ()

    def to_json(self) -> Json:
        return {
            "rule": self.rule,
            "message": self.message,
            "verdict": self.verdict.value,
            "old": _place(self.old),
            "new": _place(self.new),
            "outputs": list(self.outputs),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """What becomes of a state table: columns go by meaning, whatever they are called.

    Attributes:
        old, new: its name in either plan; None: it is not in that one.
        columns: old and new name of each column that goes on.
        dropped: names in the old plan of columns that go.
        added: names in the new plan of columns that start empty.
    """

    old: str | None
    new: str | None
    columns: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def to_json(self) -> Json:
        return {
            "old": self.old,
            "new": self.new,
            "columns": [{"old": old, "new": new} for old, new in self.columns],
            "dropped": list(self.dropped),
            "added": list(self.added),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorReport:
    """What becomes of one stateful operator.

    Attributes:
        kind, label: what it is, and by what, in the new plan (in the old one if it goes).
        verdict: the worst of its reasons'.
        reasons: all differences.
        old, new: its id in the description of either plan; None: it is not in that one.
        partner: what the operator of the old plan is whose state it goes on with; empty: none.
        old_position, new_position: where the scripts say it.
        tables: what becomes of its state; empty where that can't be used.
        ways: what can be done about the verdict.
    """

    kind: str
    label: str
    verdict: Verdict
    reasons: tuple[Reason, ...]
    old: int | None
    new: int | None
    partner: str = ""
    old_position: Position | None = None
    new_position: Position | None = None
    tables: tuple[TableChange, ...] = ()
    ways: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """``GroupAggregate GROUP BY region``."""
        return f"{self.kind} {self.label}".strip()

    @property
    def outputs(self) -> tuple[str, ...]:
        """All output columns that its reasons affect."""
        return tuple(dict.fromkeys(name for reason in self.reasons for name in reason.outputs))

    def to_json(self) -> Json:
        return {
            "operator": self.name,
            "kind": self.kind,
            "verdict": self.verdict.value,
            "old": _place(self.old_position),
            "new": _place(self.new_position),
            "matched_with": self.partner or None,
            "reasons": [reason.to_json() for reason in self.reasons],
            "outputs": list(self.outputs),
            "ways_forward": list(self.ways),
            "tables": [table.to_json() for table in self.tables],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityReport:
    """What a change of a job means for its state.

    Attributes:
        verdict: the worst of the operators'.
        operators: the stateful operators of the new plan, inputs first, then those that go.
        reasons: what differs outside of stateful operators.
        ways: what can be done about the verdict.
    """

    verdict: Verdict
    operators: tuple[OperatorReport, ...]
    reasons: tuple[Reason, ...] = ()
    ways: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of all reasons, each once."""
        every = [*self.reasons, *(r for operator in self.operators for r in operator.reasons)]
        return tuple(dict.fromkeys(reason.rule for reason in every))

    @property
    def outputs(self) -> tuple[str, ...]:
        """All output columns that are affected."""
        return tuple(dict.fromkeys(name for one in self.operators for name in one.outputs))

    def to_json(self) -> Json:
        """The report as JSON data; its form is documented and stable."""
        return {
            "version": 1,
            "verdict": self.verdict.value,
            "reasons": [reason.to_json() for reason in self.reasons],
            "operators": [operator.to_json() for operator in self.operators],
            "outputs": list(self.outputs),
            "ways_forward": list(self.ways),
        }


def _place(position: Position | None) -> Json | None:
    if position is None:
        return None
    return {"line": position.line, "column": position.column}
