"""What Apache Flink 2.3.0 gave as the schema of queries over the tables of ``binding.DDL``.

``flink_schemas.txt`` has a line each: the query, then its columns with their types.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from binding import columns

_LINES = Path(__file__).with_name("flink_schemas.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", _LINES)
def test_the_schema_is_the_one_of_flink(line: str) -> None:
    query, schema = line.rsplit(" => ", 1)
    assert columns(query) == schema.split("; ")
