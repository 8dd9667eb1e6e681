"""Every case of compatibility gives its verdict, by its rule or one that says the same."""

from __future__ import annotations

import pytest

from .cases import Case, cases, judge
from .equivalent import accepted


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_case(case: Case) -> None:
    report = judge(case)
    told = [f"{r.rule} {r.message}" for o in report.operators for r in o.reasons]
    assert report.verdict.value == case.verdict, told
    worst = [r for o in report.operators for r in o.reasons if r.verdict is report.verdict]
    rules = {reason.rule for reason in (*worst, *report.reasons)}
    assert rules & set(accepted(case.rule)), told
