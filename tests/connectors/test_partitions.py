"""Rows of partitions."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sameriver.common.changes import Changes
from sameriver.common.types import BIGINT, DOUBLE, STRING
from sameriver.connectors.filesystem.partitions import by_folder

FIELDS = [("day", STRING), ("hour", BIGINT)]
DAYS = {"a": "a", "b/c": "b%2Fc", "": "__DEFAULT_PARTITION__", None: "__DEFAULT_PARTITION__"}


@given(
    st.lists(st.tuples(st.sampled_from(list(DAYS)), st.integers(1, 2) | st.none()), max_size=30),
    st.integers(1, 4),
)
def test_each_folder_gets_its_rows_in_order(
    keys: list[tuple[str | None, int | None]], repeat: int
) -> None:
    keys = [key for key in keys for _ in range(repeat)]
    rows = pl.DataFrame(keys, {"day": pl.String, "hour": pl.Int64}, orient="row")
    changes = Changes(rows.with_row_index("n"), pl.Series([3] * len(keys), dtype=pl.UInt8))
    expected: dict[str, list[int]] = {}
    for number, (day, hour) in enumerate(keys):
        shown = "__DEFAULT_PARTITION__" if hour is None else hour
        expected.setdefault(f"day={DAYS[day]}/hour={shown}", []).append(number)
    found = list(by_folder(changes, FIELDS, {}))
    assert [folder for folder, _ in found] == list(expected)
    for folder, own in found:
        assert own.rows["n"].to_list() == expected[folder]
        assert own.kinds is not None
        assert own.kinds.to_list() == [3] * len(own)


def test_the_two_zeros_have_folders_of_their_own() -> None:
    rows = pl.DataFrame({"share": [0.0, -0.0, -0.0, 0.0]})
    found = by_folder(Changes(rows), [("share", DOUBLE)], {})
    assert [(folder, len(own)) for folder, own in found] == [("share=0.0", 2), ("share=-0.0", 2)]
