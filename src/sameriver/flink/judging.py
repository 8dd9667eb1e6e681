"""What the state of a version is worth to a changed script, and what to run for it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.compat import Rules, Verdict
from sameriver.flink.compare import compare_plans
from sameriver.flink.compiled import renumbered
from sameriver.flink.report import FlinkReport
from sameriver.flink.two_nodes import beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A comparison, and the plan that was compared.

    Attributes:
        report: the comparison.
        exact: whether all state is then what the new query makes of all input.
        plan: what to run for the new version, with names.
    """

    report: FlinkReport
    exact: bool
    plan: str


def digest(plan: str) -> str:
    """Of a compiled plan; Flink numbers nodes on from those of plans that it compiled before."""
    text = json.dumps(renumbered(json.loads(plan)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def judge(old: str, new: str, rules: Rules) -> Judgement:
    """Compares plans.

    Args:
        old: the plan of the version in force, with names.
        new: the plan of the changed script, without.
        rules: how to compare.

    Raises:
        ExternalError: FOREIGN_PLAN.
    """
    plan = beside(new, old)
    report = compare_plans(old, plan, rules, new)
    strict = compare_plans(old, plan, replace(rules, ignore_filter=False)).verdict
    return Judgement(report=report, exact=strict is Verdict.FULL, plan=plan)
