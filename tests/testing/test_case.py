"""What a case's text means, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sameriver.common.errors import UserError
from sameriver.testing.case import cell_text, cells_of, parse_case, with_expected
from sameriver.testing.scenario import Checkpoint, Rows, SetClock

CASE = """# a comment
== sql
SELECT 1;
== input t
+I  1  a b
+I  2  NULL
clock 2026-01-01 00:00:00
+U  3  ''
checkpoint
== changelog
+I  1
"""


def test_rows_without_an_event_between_them_arrive_together() -> None:
    scenario = parse_case(CASE, Path("c.case"))
    first, clock, second, last = scenario.steps
    assert first == Rows("t", ("+I", "+I"), (("1", "a b"), ("2", None)), (5, 6))
    assert clock == SetClock("2026-01-01 00:00:00", 7)
    assert second == Rows("t", ("+U",), (("3", ""),), (8,))
    assert last == Checkpoint()
    assert scenario.changelog == (("+I", ("1",)),)


def test_lines_of_the_script_are_those_of_the_file() -> None:
    assert parse_case(CASE, Path("c.case")).sql.splitlines()[2] == "SELECT 1;"


@pytest.mark.parametrize(
    "value", [None, "", "NULL", "a", "a b", "a  b", " a ", "'", "it's", "'a' b", "a\tb", "ü", "#"]
)
def test_a_cell_reads_back_as_it_was_written(value: str | None) -> None:
    assert cells_of(f"  1  {cell_text(value)}  2") == ("1", value, "2")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("== sql", "== sqk", "c.case:2: there is no section 'sqk'"),
        ("== input t", "== input", "c.case:4: '== input' names no table"),
        ("checkpoint", "chekpoint", "c.case:9: 'chekpoint' is neither a row nor an event"),
        ("# a comment", "a comment", "c.case:1: 'a comment' stands before the first section"),
        ("== changelog\n+I  1", "== changelog\n1", "c.case:11: '1' is no change"),
        ("== changelog\n+I  1", "", "c.case:1: nothing is expected"),
        ("== changelog", "== changelog\n== changelog", "c.case:11: a second section 'changelog'"),
        ("== changelog", "== sql\n== changelog", "c.case:1: has 2 sections 'sql'"),
    ],
)
def test_what_is_wrong_with_a_case_is_told_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_case(CASE.replace(old, new), Path("c.case"))
    assert (caught.value.code, caught.value.message) == ("BAD_CASE", message)


def test_a_tab_parts_cells_too() -> None:
    assert cells_of("\ta b\tNULL\t'c\td'") == ("a b", None, "c\td")


def test_only_sections_that_are_there_are_filled_in() -> None:
    found = {"changelog": "+I  7\n+I  8", "plan": "Sink"}
    head, _ = CASE.split("== changelog")
    assert with_expected(CASE, Path("c.case"), found) == f"{head}== changelog\n+I  7\n+I  8\n"
