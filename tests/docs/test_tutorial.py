"""The page on changing a running query is what its edits give; ``tutorial.py`` writes it."""

from __future__ import annotations

from tutorial import EDITS, PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_there_are_ten_edits_and_they_are_diverse() -> None:
    assert len(EDITS) == 10
    verdicts = {
        line for line in page().splitlines() if line.startswith(("FULLY", "PARTIALLY", "INC"))
    }
    assert len({line.split(":")[0] for line in verdicts}) == 3
