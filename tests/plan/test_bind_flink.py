"""What Apache Flink 2.3.0 gave as the schema of queries over the tables of ``binding.DDL``.

``flink_schemas.txt`` has a line each: the query, then its columns with their types.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from binding import columns

_LINES = Path(__file__).with_name("flink_schemas.txt").read_text(encoding="utf-8").splitlines()
_TYPED_BUT_REFUSED = {
    "SELECT COUNT(k, n) FROM Other": "Flink types it, then counts one field only when it plans",
}


def _questions() -> list[object]:
    lines = [line.rsplit(" => ", 1) for line in _LINES]
    return [
        pytest.param(
            query,
            schema,
            marks=[pytest.mark.xfail(reason=_TYPED_BUT_REFUSED[query], strict=True)]
            if query in _TYPED_BUT_REFUSED
            else [],
        )
        for query, schema in lines
    ]


@pytest.mark.parametrize(("query", "schema"), _questions())
def test_the_schema_is_the_one_of_flink(query: str, schema: str) -> None:
    assert columns(query) == schema.split("; ")
