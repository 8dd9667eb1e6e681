"""What holds of every comparison."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import Verdict
from sameriver.compat import CompatibilityReport, Rules, compare
from sameriver.compat.description import JobDescription, together
from sameriver.compat.description_json import from_json, to_json
from sameriver.compat.report import worst
from sameriver.session.check import describe_script

from .cases import Case, cases, judge

CASES = cases()


def old_of(case: Case) -> JobDescription:
    return describe_script(case.old, case.old_config)[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_unchanged_job_goes_on_with_all_its_state(case: Case) -> None:
    old = old_of(case)
    report = compare(old, from_json(json.loads(json.dumps(to_json(old)))))
    assert report.verdict is Verdict.FULL
    assert not [reason for one in report.operators for reason in one.reasons]
    assert [(one.old, one.new) for one in report.operators] == [(o.id, o.id) for o in old.operators]
    assert all(
        (table.old, table.dropped, table.added) == (table.new, (), ())
        for one in report.operators
        for table in one.tables
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_verdict_is_the_worst_and_the_same_each_time(case: Case) -> None:
    report = judge(case)
    every = [one.verdict for one in report.operators] + [one.verdict for one in report.reasons]
    assert report.verdict is worst(every)
    assert report == judge(case)
    for operator in report.operators:
        assert operator.verdict is worst([reason.verdict for reason in operator.reasons])
        assert bool(operator.tables) == (
            operator.verdict is not Verdict.INCOMPATIBLE
            and operator.old is not None
            and operator.new is not None
        )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(CASES), min_size=2, max_size=4))
def test_jobs_together_are_as_bad_as_the_worst_alone(chosen: list[Case]) -> None:
    """Scripts of several jobs over tables of their own."""
    parts, olds, news = [], [], []
    for number, case in enumerate(chosen):
        if case.new_config:
            continue
        parts.append(judge(case))
        olds.append(_apart(old_of(case), number))
        news.append(_apart(describe_script(case.new, {})[0], number))
    report: CompatibilityReport = compare(together(olds), together(news), Rules())
    assert report.verdict is worst([part.verdict for part in parts])


def _apart(job: JobDescription, number: int) -> JobDescription:
    """The job with tables that no other one has: a number goes before each name."""
    text = json.dumps(to_json(job))
    names = sorted({source.table for source in job.sources}, key=len, reverse=True)
    for name in names:
        text = text.replace(f"{name}:", f"{name}_{number}:").replace(
            f"{name}.", f"{name}_{number}."
        )
    return from_json(json.loads(text))
