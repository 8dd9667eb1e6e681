"""The reference of functions is what the registry and the oracle say, and leaves nothing out."""

from __future__ import annotations

import pytest

from sameriver import functions

from .reference import PAGE, Entry, entries, page

FEW = 3
"""Questions that each function has at least."""


@pytest.fixture(scope="module")
def known() -> dict[str, Entry]:
    return entries()


def test_each_function_has_questions(known: dict[str, Entry]) -> None:
    names = {
        function.name
        for family in functions.FAMILIES.values()
        for function in family
        if not function.name.startswith("$")
    }
    asked = {name for name, entry in known.items() if len(entry.answers) >= FEW}
    assert sorted(names - asked) == []


def test_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: cd tests && python -m oracle.reference"
