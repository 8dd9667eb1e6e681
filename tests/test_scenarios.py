"""All cases and all of Flink's answers, in all modes, by the code behind ``sameriver test``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from sameriver.testing.modes import Mode
from sameriver.testing.runner import find_scenarios, run_scenario
from sameriver.testing.scenario import Scenario

HERE = Path(__file__).parent
LATER = {"match_recognize"}
"""Answers to queries that are planned for later; each must be refused by name until then."""

WRONG = {
    "agg_over_left_join": "Flink planned MAX without retraction over an updating join: it is 7.25 "
    "where the only row of the group has price 5.00",
}
"""Answers of Flink that we believe wrong."""


def scenarios(folder: str) -> list[Scenario]:
    return list(find_scenarios([HERE / folder]))


def parameters() -> list[ParameterSet]:
    found = []
    for scenario in [*scenarios("cases"), *scenarios("golden")]:
        wrong = WRONG.get(scenario.name)
        marks = [pytest.mark.xfail(reason=wrong, strict=True)] if wrong else []
        name = f"{scenario.path.parent.name}/{scenario.name}"
        found.append(pytest.param(scenario, marks=marks, id=name))
    return found


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is to outlive these tests."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.mark.parametrize("scenario", parameters())
def test_scenario(scenario: Scenario) -> None:
    outcomes = list(run_scenario(scenario, list(Mode)))
    if scenario.name in LATER:
        assert {outcome.refused for outcome in outcomes} == {"UNSUPPORTED"}
        return
    failures = [o for o in outcomes if not o.passed]
    text = "\n".join(f"[{o.mode.value}] " + "\n  ".join(o.differences) for o in failures)
    assert not failures, text
