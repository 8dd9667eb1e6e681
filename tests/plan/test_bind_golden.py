"""Names and types of results against those that Apache Flink gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from binding import bind

from sameriver.common.errors import UserError

_GOLDEN = Path(__file__).parent.parent / "golden"
_FOLDERS = sorted(path.parent.name for path in _GOLDEN.glob("*/schema.jsonl"))


def _job(folder: str) -> str:
    return (_GOLDEN / folder / "job.sql").read_text()


def _refusal(folder: str) -> UserError | None:
    try:
        bind(_job(folder))
    except UserError as error:
        return error
    return None


@pytest.mark.parametrize("folder", _FOLDERS)
def test_result_columns_are_those_of_flink(folder: str) -> None:
    lines = (_GOLDEN / folder / "schema.jsonl").read_text().splitlines()
    expected = [(column["name"], column["type"]) for column in map(json.loads, lines)]
    refusal = _refusal(folder)
    if refusal is not None:
        assert refusal.code == "UNSUPPORTED"
        assert refusal.position is not None
        return
    plan = bind(_job(folder))
    assert [(field.name, str(field.type)) for field in plan.schema] == expected


def test_no_job_of_windows_and_aggregates_is_refused() -> None:
    covered = [f for f in _FOLDERS if f.startswith(("agg_", "win_", "gwin_", "ltz_", "union_"))]
    assert not [folder for folder in covered if _refusal(folder) is not None]
