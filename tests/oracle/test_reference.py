"""The reference of functions is what the registry and the oracle say, and leaves nothing out."""

from __future__ import annotations

import pytest

from sameriver import functions
from sameriver.functions.aggregates import AGGREGATES
from sameriver.functions.ranking import RANKING
from sameriver.plan.bind.composed import COMPOSED

from .reference import PAGE, Entry, entries, page

FEW = 3
"""Questions that each function has at least."""


@pytest.fixture(scope="module")
def known() -> dict[str, Entry]:
    return entries()


def test_each_function_has_questions(known: dict[str, Entry]) -> None:
    scalars = [function.name for family in functions.FAMILIES.values() for function in family]
    others = [function.name for function in (*AGGREGATES, *RANKING)]
    names = {name for name in (*scalars, *others, *COMPOSED) if not name.startswith("$")}
    asked = {name for name, entry in known.items() if len(entry.answers) >= FEW}
    assert sorted(names - asked) == []


def test_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: cd tests && python -m oracle.reference"
