"""When rows were due, and which result each completed."""

from __future__ import annotations

import numpy as np
import polars as pl
from benchmarks.latency import completing, due, percentiles


def test_rows_of_a_poll_were_due_since_the_poll_before() -> None:
    assert due([1, 3, 5], [10.0, 12.0, 12.5], 5).tolist() == [10.0, 11.0, 12.0, 12.25, 12.5]


def test_percentiles_are_times_that_occurred() -> None:
    assert percentiles(np.arange(1.0, 2002.0)) == (1001.0, 1981.0, 1999.0)


def test_a_row_of_a_group_is_done_with_the_first_change_that_has_it_in() -> None:
    out = pl.DataFrame(
        {"k": [0, 1, 0, 0], "n": [0, 1, 0, 2000], "kind": [0, 0, 1, 2], "at": [5.0, 5.0, 6.0, 6.0]},
    )
    found = completing("group_by", out, 10_000).sort("n")
    expected = {0: 5.0, 1: 5.0, 1000: 6.0, 2000: 6.0}
    assert dict(found.rows()) == expected


def test_a_window_is_closed_by_the_row_that_lifts_the_watermark_to_its_last_ms() -> None:
    end = pl.Series([50]).cast(pl.Datetime("ms"))
    out = pl.DataFrame({"window_end": end, "at": [1.0]})
    assert completing("tumble", out, 10_000).rows() == [(490, 1.0)]
