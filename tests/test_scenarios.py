"""All cases and all of Flink's answers, in all modes, by the code behind ``sameriver test``."""

from __future__ import annotations

from pathlib import Path

import pytest

from sameriver.testing.modes import Mode
from sameriver.testing.runner import find_scenarios, run_scenario
from sameriver.testing.scenario import Scenario

HERE = Path(__file__).parent
LATER = {"match_recognize"}
"""Answers to queries that are planned for later; each must be refused by name until then."""


def scenarios(folder: str) -> list[Scenario]:
    return list(find_scenarios([HERE / folder]))


@pytest.mark.parametrize(
    "scenario",
    [*scenarios("cases"), *scenarios("golden")],
    ids=lambda s: f"{s.path.parent.name}/{s.name}",
)
def test_scenario(scenario: Scenario) -> None:
    outcomes = list(run_scenario(scenario, list(Mode)))
    if scenario.name in LATER:
        assert [outcome.refused for outcome in outcomes] == ["UNSUPPORTED"]
        return
    failures = [o for o in outcomes if not o.passed]
    text = "\n".join(f"[{o.mode.value}] " + "\n  ".join(o.differences) for o in failures)
    assert not failures, text
