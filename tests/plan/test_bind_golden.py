"""Names and types of results against those that Apache Flink gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from binding import bind

from sameriver.common.errors import UserError

_GOLDEN = Path(__file__).parent.parent / "golden"
_FOLDERS = sorted(path.parent.name for path in _GOLDEN.glob("*/schema.jsonl"))


@pytest.mark.parametrize("folder", _FOLDERS)
def test_result_columns_are_those_of_flink(folder: str) -> None:
    lines = (_GOLDEN / folder / "schema.jsonl").read_text().splitlines()
    expected = [(column["name"], column["type"]) for column in map(json.loads, lines)]
    try:
        plan = bind((_GOLDEN / folder / "job.sql").read_text())
    except UserError as error:
        assert error.code == "UNSUPPORTED"
        assert error.position is not None
        pytest.skip(error.message)
    assert [(field.name, str(field.type)) for field in plan.schema] == expected
