"""Old job against new job: the report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.compat.description import JobDescription, Operator
from sameriver.compat.match import Matching, gone_with_sinks, match, unmatched
from sameriver.compat.operators import Rules, operator_reasons
from sameriver.compat.outside import outside_reasons, sink_reasons
from sameriver.compat.report import CompatibilityReport, OperatorReport, Reason, Verdict, worst
from sameriver.compat.strictness import strictness
from sameriver.compat.tables import table_changes
from sameriver.compat.ways import job_ways, operator_ways


def compare(
    old: JobDescription, new: JobDescription, rules: Rules | None = None
) -> CompatibilityReport:
    """What the change from one job to another means for the state of the old one."""
    work = _Comparison(old, new, rules or Rules(), match(old, new))
    operators = (*work.going_on(), *work.going())
    reasons = tuple(work.outside(operators))
    verdict = worst([*(one.verdict for one in operators), *(one.verdict for one in reasons)])
    return CompatibilityReport(
        verdict=verdict,
        operators=operators,
        reasons=reasons,
        ways=job_ways(verdict, operators),
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    old: JobDescription
    new: JobDescription
    rules: Rules
    matching: Matching
    broken: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Rules for which a new operator, or one below it, is incompatible, by its id."""

    def going_on(self) -> Iterator[OperatorReport]:
        """The operators of the new plan, inputs first."""
        by_id = {operator.id: operator for operator in self.old.operators}
        for new in self.new.operators:
            partner = self.matching.operators.get(new.id)
            below = tuple(rule for id in new.inputs for rule in self.broken[id])
            if partner is None:
                reasons: tuple[Reason, ...] = (_unborn(new),)
                report = _report(new, None, reasons)
            else:
                old = by_id[partner]
                reasons = operator_reasons(old, new, self.rules, below)
                report = _report(new, old, reasons)
            broken = (r.rule for r in reasons if r.verdict is Verdict.INCOMPATIBLE)
            self.broken[new.id] = (*below, *broken)
            yield report

    def going(self) -> Iterator[OperatorReport]:
        """The operators of the old plan that the new one lacks."""
        for old in unmatched(self.old, self.matching):
            gone = gone_with_sinks(old, self.matching)
            yield _report(None, old, (_dropped(old) if gone else _lost(old),))

    def outside(self, operators: tuple[OperatorReport, ...]) -> Iterator[Reason]:
        """What differs outside of stateful operators; if nothing does anywhere, that."""
        quiet = frozenset(one.new for one in operators if not one.reasons)
        found = [
            *sink_reasons(self.old, self.new, self.matching, self.rules),
            *outside_reasons(self.old, self.new, self.matching, quiet),
        ]
        yield from found
        if not found and not any(one.reasons for one in operators):
            yield Reason(
                rule="LIM-11",
                message="nothing changes for the state of the job",
                verdict=Verdict.FULL,
            )


def _report(
    new: Operator | None, old: Operator | None, reasons: tuple[Reason, ...]
) -> OperatorReport:
    shown = new or old
    assert shown is not None
    verdict = worst([reason.verdict for reason in reasons])
    usable = old is not None and new is not None and verdict is not Verdict.INCOMPATIBLE
    return OperatorReport(
        kind=shown.kind,
        label=shown.label,
        verdict=verdict,
        reasons=reasons,
        old=None if old is None else old.id,
        new=None if new is None else new.id,
        partner=f"{old.kind} {old.label}".strip() if old is not None and new is not None else "",
        old_position=None if old is None else old.position,
        new_position=None if new is None else new.position,
        tables=table_changes(old, new) if usable and old is not None and new is not None else (),
        ways=operator_ways(verdict, reasons),
    )


def _unborn(new: Operator) -> Reason:
    return Reason(
        rule=strictness(new.kind).new,
        message=f"{new.kind} `{new.label}` is new: there is no old state for it to go on with",
        verdict=Verdict.INCOMPATIBLE,
        new=new.position,
    )


def _dropped(old: Operator) -> Reason:
    return Reason(
        rule="SINK-01",
        message=f"{old.kind} `{old.label}` goes with its sink: its state is dropped",
        verdict=Verdict.FULL,
        old=old.position,
    )


def _lost(old: Operator) -> Reason:
    return Reason(
        rule=strictness(old.kind).gone,
        message=f"{old.kind} `{old.label}` is gone, but its sink is still written: what its state"
        " holds would be lost",
        verdict=Verdict.INCOMPATIBLE,
        old=old.position,
    )
