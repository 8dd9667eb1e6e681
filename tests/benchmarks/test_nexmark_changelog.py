"""Tables out of the changes that an engine wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.nexmark.changelog import Table, options, table
from benchmarks.nexmark.equality import difference

from sameriver import Session


def test_changes_add_up_to_a_table(tmp_path: Path) -> None:
    sink = ", ".join(f"'{key}' = '{value}'" for key, value in options(tmp_path).items())
    Session({"sameriver.batch.rows": "1"}).execute(f"""
        CREATE TABLE s (k INT, n BIGINT) WITH ({sink});
        INSERT INTO s SELECT k, COUNT(*) FROM (VALUES (1), (2), (1)) AS t(k) GROUP BY k;""")
    assert +table(tmp_path) == {'. {"k":1,"n":2}': 1, '. {"k":2,"n":1}': 1}


def test_what_is_removed_is_gone_in_whatever_order_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "part-0").write_text('{"before":{"k":1},"after":null,"op":"d"}\n')
    (tmp_path / "part-1").write_text('{"before":null,"after":{"k":1},"op":"c"}\n' * 3)
    assert table(tmp_path) == {'. {"k":1}': 2}


def test_rows_of_other_formats_are_told_apart_by_their_partition(tmp_path: Path) -> None:
    for day in ("1", "2"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "part-0").write_text("a,b\na,b\n")
        (tmp_path / f"day={day}" / "_SUCCESS").touch()
    assert table(tmp_path) == {"day=1 a,b": 2, "day=2 a,b": 2}


@pytest.mark.parametrize("rows", [Table(), Table({"a": 1, "b": 2})])
def test_equal_tables(rows: Table) -> None:
    assert difference(rows, Table(rows)) == ""


def test_how_often_a_row_occurs_counts() -> None:
    assert difference(Table({"a": 2}), Table({"a": 1})) == (
        "2 rows against 1; only ours: 1, such as a"
    )


def test_both_sides_of_a_difference_are_shown() -> None:
    told = difference(Table({"a": 1}), Table({"b": 1, "c": 1}))
    assert told == "1 rows against 2; only ours: 1, such as a; only theirs: 2, such as b"


def test_a_row_that_was_removed_but_never_there_is_a_difference() -> None:
    assert difference(Table({"a": -1}), Table()) == "-1 rows against 0; only theirs: 1, such as a"
