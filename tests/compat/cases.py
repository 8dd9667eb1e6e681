"""The cases of compatibility: what is documented, derived or decided about changed queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sameriver.compat import CompatibilityReport
from sameriver.session.check import judged, load_old

DATA = Path(__file__).parent.parent / "data" / "compat_cases.jsonl"


@dataclass(frozen=True, slots=True)
class Case:
    """One change and its verdict."""

    id: str
    rule: str
    old: str
    new: str
    old_config: Mapping[str, str]
    new_config: Mapping[str, str]
    verdict: str


def cases() -> list[Case]:
    """All of them, in order."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(data: Mapping[str, object]) -> Case:
    def options(key: str) -> dict[str, str]:
        found = data.get(key, {})
        assert isinstance(found, dict)
        return {str(name): str(value) for name, value in found.items()}

    both = options("config")
    return Case(
        id=str(data["id"]),
        rule=str(data["rule"]),
        old=f"{data['ddl']}\n{data['old_sql']}",
        new=f"{data['ddl']}\n{data['new_sql']}",
        old_config={**both, **options("old_config")},
        new_config={**both, **options("new_config")},
        verdict=str(data["verdict"]),
    )


def judge(case: Case) -> CompatibilityReport:
    """The report on a case."""
    return judged(load_old(case.old, case.old_config), case.new, case.new_config)
