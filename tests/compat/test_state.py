"""A saved job as the old one; functions in Python whose code changes."""

from __future__ import annotations

import importlib
import linecache
import sys
from pathlib import Path

import pytest

from sameriver import ExternalError, Session, UserError, Verdict, check

DDL = """CREATE TABLE numbers (k INT, v BIGINT) WITH ('connector' = 'datagen',
  'number-of-rows' = '20', 'fields.k.min' = '1', 'fields.k.max' = '3',
  'fields.v.min' = '1', 'fields.v.max' = '9');
CREATE TABLE sums (k INT, s BIGINT) WITH ('connector' = 'blackhole');
"""
JOB = DDL + "INSERT INTO sums SELECT k, SUM(v) FROM numbers GROUP BY k;"
MODULE = """from sameriver import udf

@udf(result_type="BIGINT", input_types=["BIGINT"])
def twice(n):
    return n * FACTOR
"""
CREATE = "CREATE TEMPORARY SYSTEM FUNCTION twice AS 'changing.twice' LANGUAGE PYTHON;\n"
CALLING = DDL + CREATE + "INSERT INTO sums SELECT k, SUM(twice(v)) FROM numbers GROUP BY k;"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module in the current folder, which can be rewritten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "changing.py"
    write(path, "2")
    return path


def write(path: Path, factor: str) -> None:
    path.write_text(MODULE.replace("FACTOR", factor), encoding="utf-8")
    importlib.invalidate_caches()
    sys.modules.pop("changing", None)
    linecache.clearcache()


def test_a_state_folder_is_an_old_job(tmp_path: Path) -> None:
    state = tmp_path / "state"
    Session().execute(JOB, state=state)
    assert check(state, JOB).verdict is Verdict.FULL
    report = check(state, JOB.replace("SUM(v)", "SUM(v + 1)"))
    assert (report.verdict, report.rules) == (Verdict.INCOMPATIBLE, ("GAGG-16",))
    assert report.operators[0].reasons[0].old is not None


def test_a_folder_without_state_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        check(tmp_path, JOB)
    assert caught.value.code == "NO_SAVEPOINT"


def test_a_function_whose_code_changed_makes_its_operators_unknown(
    module: Path, tmp_path: Path
) -> None:
    Session().execute(CALLING, state=tmp_path / "state")
    assert check(tmp_path / "state", CALLING).verdict is Verdict.FULL
    write(module, "3")
    report = check(tmp_path / "state", CALLING)
    assert (report.verdict, report.rules) == (Verdict.UNKNOWN, ("LIM-02",))
    assert any("trusted-functions" in way for way in report.ways)


def test_a_trusted_function_may_change(module: Path, tmp_path: Path) -> None:
    Session().execute(CALLING, state=tmp_path / "state")
    write(module, "(2 * 1)")
    trusted = {"sameriver.state-compatibility.trusted-functions": "other; TWICE"}
    assert check(tmp_path / "state", CALLING, trusted).verdict is Verdict.FULL


def test_a_torn_manifest_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    Session().execute(JOB, state=state)
    for path in state.rglob("manifest*"):
        path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with pytest.raises(ExternalError):
        check(state, JOB)
