"""Columns of ROWs in one block of memory."""

from __future__ import annotations

import datetime as dt
import gc
import resource

import numpy as np
import polars as pl

from sameriver.common.row_column import RowBlock, row_block, row_column

SHARED = np.frombuffer(b"a text that is shared by all rows", np.uint8)
OWN = b"a text of its own"


def view(text: bytes, buffer: int, start: int) -> tuple[int, int]:
    """Arrow's view of a text."""
    rest = text[4:].ljust(8, b"\0")
    if len(text) > 12:
        rest = buffer.to_bytes(4, "little") + start.to_bytes(4, "little")
    words = len(text).to_bytes(4, "little") + text[:4].ljust(4, b"\0") + rest
    first, second = np.frombuffer(words, np.int64).tolist()
    return first, second


def filled() -> RowBlock:
    """Three rows, the second of which is NULL."""
    made = row_block(3, numbers=2, texts=2, own=len(OWN))
    made.valid[0] = 0b101
    made.numbers[:, 0], made.numbers[:, 2] = (7, 1000), (-1, 86_400_000)
    made.own[:] = np.frombuffer(OWN, np.uint8)
    shared = SHARED.tobytes()
    made.texts[:, 0] = view(shared[2:20], 0, 2), view(OWN, 1, 0)
    made.texts[:, 2] = view(b"short", 0, 0), view(b"", 0, 0)
    return made


def column() -> pl.Series:
    made = filled()
    fields = {
        "n": made.numbers[0],
        "at": made.numbers[1].view("M8[ms]"),
        "s": made.texts[0],
        "o": made.texts[1],
    }
    return row_column(made, fields, SHARED, nulls=1)


def test_fields_are_numbers_times_and_texts_of_both_buffers() -> None:
    rows = column()
    assert rows.dtype == pl.Struct(
        {"n": pl.Int64, "at": pl.Datetime("ms"), "s": pl.String, "o": pl.String}
    )
    shared = SHARED.tobytes()[2:20].decode()
    assert rows.to_list() == [
        {"n": 7, "at": dt.datetime(1970, 1, 1, 0, 0, 1), "s": shared, "o": OWN.decode()},
        None,
        {"n": -1, "at": dt.datetime(1970, 1, 2), "s": "short", "o": ""},
    ]
    assert rows.null_count() == 1
    assert rows.struct.field("o").to_list() == [OWN.decode(), None, ""]


def test_fields_may_be_left_out_and_put_in_another_order() -> None:
    made = filled()
    rows = row_column(made, {"s": made.texts[0], "n": made.numbers[0]}, SHARED, nulls=1)
    assert rows.struct.fields == ["s", "n"]
    assert rows.struct.field("n").to_list() == [7, None, -1]


def test_what_is_cut_out_lives_on_without_the_column() -> None:
    rows = column()
    kept = rows.struct.field("o").gather([0])
    del rows
    gc.collect()
    row_column(made := filled(), {"n": made.numbers[0]}, SHARED, nulls=1)
    assert kept.to_list() == [OWN.decode()]


def test_memory_is_given_back() -> None:
    def make() -> None:
        made = row_block(1 << 18, numbers=4, texts=0, own=0)
        row_column(made, {"n": made.numbers[3]}, SHARED, nulls=1 << 18)

    make()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(50):
        make()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
