"""Charsets in kernels against Python's own."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameriver.functions.letters import decoded_by, encoded

CHARSETS = ["UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE", "windows-1252"]
TEXTS = st.lists(st.none() | st.text(max_size=5), min_size=1, max_size=5)
OCTETS = st.lists(st.none() | st.binary(max_size=9), min_size=1, max_size=5)


def in_java(value: str, charset: str) -> bytes:
    """Java marks the order of UTF-16, big end first, where there is a letter."""
    if charset == "UTF-16":
        return (value and codecs.BOM_UTF16_BE + value.encode("utf-16-be")) or b""
    return value.encode(charset, errors="replace")


def out_of_java(value: bytes, charset: str) -> str:
    marked = value.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    name = "utf-16-be" if charset == "UTF-16" and not marked else charset
    return value.decode(name, errors="replace")


def column(values: Sequence[str | bytes | None], dtype: type[pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


@pytest.mark.parametrize("charset", CHARSETS)
@settings(max_examples=60, deadline=None)
@given(TEXTS)
@example(["", "é€\U0001f600", None, "\x7f\x80\xff"])
def test_text_in_a_charset(charset: str, values: list[str | None]) -> None:
    made = encoded(pl.col("x"), pl.lit(charset), [charset])
    found = column(values, pl.String).select(made.alias("y"))["y"].to_list()
    assert found == [None if value is None else in_java(value, charset) for value in values]


@pytest.mark.parametrize("charset", CHARSETS)
@settings(max_examples=200, deadline=None)
@given(OCTETS)
@example(
    [
        b"\xff\xfea\x00",
        b"\xfe\xff\x00a",
        b"\x00a",
        b"\xd8=\xde\x00",
        b"\xd8=\x00a",
        b"\xde\x00",
        b"\xd8",
    ]
)
@example(
    [
        b"\xe0\x80a",
        b"\xed\xa0\x80",
        b"\xf0\x90\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\xc0\xaf",
        b"\xc3\xa9",
    ]
)
@example([b"\xd8=\xde", b"=\xd8\x00\xde", b"", None, bytes(range(256))])
def test_text_out_of_a_charset(charset: str, values: list[bytes | None]) -> None:
    made = decoded_by(pl.col("x"), pl.lit(charset), [charset])
    found = column(values, pl.Binary).select(made.alias("y"))["y"].to_list()
    assert found == [None if value is None else out_of_java(value, charset) for value in values]
