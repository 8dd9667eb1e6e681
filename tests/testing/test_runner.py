"""Scenarios that must fail do, in every mode, and say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from sameriver.common.errors import UserError
from sameriver.testing.modes import Mode
from sameriver.testing.runner import find_scenarios, run_scenario, write_expected

SCRIPT = """== sql
CREATE TABLE t (a INT) WITH ('connector' = 'kafka');
SELECT a, COUNT(*) AS n FROM t GROUP BY a;
== input t
+I  1
+I  2
checkpoint
+I  1
"""
RIGHT = "== changelog\n+I  1  1\n+I  2  1\n-U  1  1\n+U  1  2\n"


def outcomes(tmp_path: Path, text: str) -> dict[str, tuple[str, ...]]:
    path = tmp_path / "x.case"
    path.write_text(text)
    (scenario,) = find_scenarios([path])
    return {o.mode.value: o.differences for o in run_scenario(scenario, list(Mode))}


def test_a_right_case_passes_in_every_mode(tmp_path: Path) -> None:
    assert outcomes(tmp_path, SCRIPT + RIGHT) == {mode.value: () for mode in Mode}


def test_a_wrong_value_fails_in_every_mode(tmp_path: Path) -> None:
    found = outcomes(tmp_path, SCRIPT + RIGHT.replace("+U  1  2", "+U  1  3"))
    assert all(found[mode.value] for mode in Mode)
    assert "++U  1  2" in found["written"]
    assert "++I  1  2" in found["row"]


def test_another_order_fails_as_written_only(tmp_path: Path) -> None:
    text = SCRIPT + RIGHT.replace("+I  1  1\n+I  2  1", "+I  2  1\n+I  1  1")
    assert [mode for mode, found in outcomes(tmp_path, text).items() if found] == ["written"]


def test_a_row_too_many_fails_in_every_mode(tmp_path: Path) -> None:
    assert all(outcomes(tmp_path, SCRIPT + RIGHT + "+I  3  1\n").values())


def test_another_plan_and_state_fail(tmp_path: Path) -> None:
    for section in ("plan", "state"):
        found = outcomes(tmp_path, f"{SCRIPT}{RIGHT}== {section}\nSomething\n")
        assert "-Something" in found["written"]


def test_an_error_must_come_with_its_code_and_words(tmp_path: Path) -> None:
    script = SCRIPT.replace("SELECT a,", "SELECT b,")
    assert outcomes(tmp_path, f"{script}== error\nUNKNOWN_COLUMN\n'b'\n") == {"written": ()}
    for wrong in ("UNKNOWN_TABLE\n'b'", "UNKNOWN_COLUMN\n'c'"):
        assert outcomes(tmp_path, f"{script}== error\n{wrong}\n")["written"]
    assert outcomes(tmp_path, f"{SCRIPT}== error\nUNKNOWN_COLUMN\n")["written"]


def test_what_is_found_is_written_and_passes(tmp_path: Path) -> None:
    assert outcomes(tmp_path, SCRIPT + "== changelog\n")["written"]
    (scenario,) = find_scenarios([tmp_path])
    assert write_expected(scenario)
    assert scenario.path.read_text() == SCRIPT + RIGHT
    (scenario,) = find_scenarios([tmp_path])
    assert not write_expected(scenario)


def test_an_input_must_name_a_table_that_is_read(tmp_path: Path) -> None:
    script = SCRIPT.replace("input t", "input tt").replace("kafka", "case")
    found = outcomes(tmp_path, script + RIGHT)
    assert "Did you mean 't'?" in found["written"][0]


def test_a_path_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="NO_CASES"):
        list(find_scenarios([tmp_path]))


def test_a_malformed_row_is_told_once(tmp_path: Path) -> None:
    found = outcomes(tmp_path, SCRIPT.replace("+I  2", "+I  two") + RIGHT)
    assert list(found) == ["written"]
    ((difference,),) = found.values()
    assert "error[BAD_CASE]: x.case:5: in rows of 't'" in difference
