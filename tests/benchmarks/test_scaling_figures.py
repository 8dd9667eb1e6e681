"""What scaling writes down, and that each series can be run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.scaling import LABELS, SERIES, TITLES, Point, batches, started, steady, write_csv


def test_numbers_are_written_a_line_each(tmp_path: Path) -> None:
    write_csv([Point("keys", 1000, 40.0), Point("keys", 10_000, 50.04, 1.26)], tmp_path / "s.csv")
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines == [
        "series,x,ns_per_row,system_ns,rows_per_second",
        "keys,1000,40.0,0.0,25000000",
        "keys,10000,50.0,1.3,19984013",
    ]


def test_batches_hold_all_rows_in_order() -> None:
    made = batches(np.arange(10), size=4, sums=2)
    assert [len(batch) for batch in made] == [4, 4, 2]
    assert made[0].rows.columns == ["k", "v0", "v1"]
    assert [row[0] for batch in made for row in batch.rows.rows()] == list(range(10))


def test_a_pass_over_known_keys_is_timed() -> None:
    keys = np.arange(100)
    cost, system = steady(started(sums=2, shards=2), keys, batches(keys, size=10, sums=2))
    assert cost > 0
    assert system >= 0


def test_of_many_columns_the_cost_of_one_is_drawn() -> None:
    assert Point("columns", 8, 160.0).shown == 20
    assert Point("keys", 8, 160.0).shown == 160


def test_the_part_of_the_system_is_left_out_of_the_own_cost() -> None:
    assert Point("keys", 8, 160.0, 40.0).own == pytest.approx(120)
    assert Point("columns", 8, 160.0, 40.0).own == pytest.approx(15)


def test_each_series_has_a_title_and_an_axis() -> None:
    assert set(SERIES) == set(TITLES) == set(LABELS)
