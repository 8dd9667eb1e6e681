"""The kernel that walks along JSON paths against Python's parser, over texts of every kind."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameriver.functions.json_scan import canonical, items, quoted, scanned, written
from sameriver.functions.jsonpath import Invalid, JsonValue, Path, dump, find
from sameriver.functions.kernels import json_path as kinds
from sameriver.functions.kernels.json_text import quote
from sameriver.functions.octets import rewritten
from sameriver.functions.variants import parsed_or_none

NUMBERS = [
    "0",
    "-0",
    "12",
    "-7.50",
    "0.0",
    "0.000001",
    "0.0000001",
    "1e5",
    "1.5E-3",
    "01",
    "1.",
    "-",
]
SCALARS = st.sampled_from(
    [*NUMBERS, "true", "false", "null", "tru", "nul1", '"x"', '"é\\n"', '"a b"']
)
KEYS = st.sampled_from(['"a"', '"b"', '"é"', '"\\u0061"'])
BLANK = st.sampled_from(["", " ", "\n\t"])


def joined(opening: str, members: list[str], closing: str, blank: str) -> str:
    return opening + blank + f"{blank},{blank}".join(members) + blank + closing


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.builds(lambda key, blank, value: f"{key}{blank}:{blank}{value}", KEYS, BLANK, inner)
    arrays = st.builds(joined, st.just("["), st.lists(inner, max_size=3), st.just("]"), BLANK)
    objects = st.builds(joined, st.just("{"), st.lists(pairs, max_size=3), st.just("}"), BLANK)
    return arrays | objects


TEXTS = st.recursive(SCALARS, nested, max_leaves=8)
BROKEN = st.builds(
    lambda text, at, put: text[: at % (len(text) + 1)] + put + text[at % (len(text) + 1) + 1 :],
    TEXTS,
    st.integers(0, 40),
    st.sampled_from(["", ",", "]", "}", "{", "[", '"', ":", " ", "0"]),
)
STEPS = st.lists(st.sampled_from(["a", "b", "é", 0, 1]), max_size=3)


def expected(text: str, steps: list[str | int]) -> tuple[int, str | None] | None:
    """Kind and text as the scan tells them; None if the text is no JSON."""
    try:
        found: list[JsonValue] = find(text, Path(tuple(steps), False))
    except Invalid:
        return None
    if not found:
        return kinds.MISSING, None
    value = found[0]
    if isinstance(value, dict | list):
        return kinds.NESTED, None
    if value is None:
        return kinds.NULL, None
    if isinstance(value, str):
        return kinds.TEXT, value
    if isinstance(value, bool):
        return kinds.TRUTH, dump(value)
    return (kinds.WHOLE if isinstance(value, int) else kinds.DECIMAL), dump(value)


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS | BROKEN, min_size=1, max_size=4), STEPS)
@example(['{"a": {"b": 1}, "a": {}}'], ["a", "b"])
@example(["[[1, 2], [3, 4]]"], [1, 1])
@example(['{"a": [ ] }', "[]", "", " 1 ", "{,}", "[1,]", '{"a"}'], ["a"])
def test_scan_is_what_the_parser_finds(texts: list[str], steps: list[str | int]) -> None:
    found = pl.DataFrame({"x": texts}).select(
        scanned(pl.col("x"), Path(tuple(steps), True)).alias("x")
    )
    for text, row in zip(texts, found["x"].to_list(), strict=True):
        if row is None or row["kind"] is None:
            continue
        shown = row["text"] if row["kind"] not in (kinds.NESTED, kinds.NULL) else None
        assert (row["kind"], shown) == expected(text, steps), text


@pytest.mark.parametrize("text", ['{"a": 1, "b": [true, "x"]}', "[1.25, null]", ' "x" ', "-3"])
def test_usual_texts_are_known(text: str) -> None:
    found = pl.DataFrame({"x": [text]}).select(scanned(pl.col("x"), Path((), True)).alias("x"))
    assert found["x"].to_list()[0]["kind"] is not None


def test_odd_members_beside_the_path_do_not_matter() -> None:
    text = '{"e": "\\u00e9\\n", "n": 1e10, "\\u0065": -0.0, "a": [7]}'
    found = pl.DataFrame({"x": [text]}).select(scanned(pl.col("x"), Path((0,), True)).alias("x"))
    assert found["x"].to_list() == [{"kind": kinds.MISSING, "text": None}]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
def test_quotes(values: list[str]) -> None:
    found = pl.DataFrame({"x": values}).select(quoted(pl.col("x"))).to_series()
    assert found.to_list() == [json.dumps(value, ensure_ascii=False) for value in values]


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS | BROKEN, min_size=1, max_size=4), STEPS)
@example(['{"b": {"d": 1, "c": [ ]}, "a": {"z": 0.50, "y": {}}, "b": "x"}'], [])
def test_what_a_path_leads_to_is_written_as_the_parser_does(
    texts: list[str], steps: list[str | int]
) -> None:
    to = Path(tuple(steps), False)
    found = pl.DataFrame({"x": texts}).select(written(pl.col("x"), to).alias("x"))
    for text, row in zip(texts, found["x"].to_list(), strict=True):
        if row is not None and row["text"] is not None:
            assert row["text"] == dump(find(text, to)[0]), text


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS | BROKEN, min_size=1, max_size=4), st.booleans())
@example(['{"\ue000": 1, "\U00010000": 2, "a\uffff": 3, "a": 4}', "1.500", "-7.0", "9" * 39], True)
@example(['{"a": 1, "a": 2}', '"\\ud83d\\ude00\\u0001\\/\\"\\b\\f"', '"\\ud83d"', " [ ] "], False)
def test_variants_are_those_of_the_parser(texts: list[str], unique: bool) -> None:
    found = pl.DataFrame({"x": texts}).select(canonical(pl.col("x"), unique=unique)).to_series()
    for text, value in zip(texts, found.to_list(), strict=True):
        if value is not None:
            expected = parsed_or_none(text, repeats=not unique) or ""
            # Half a letter is no text; Java writes a question mark.
            assert value == expected.encode(errors="replace").decode(), text


@pytest.mark.parametrize("text", ['{"b": [1, 2.5], "a": {"x": "\\n"}}', "[]", "-1.20", '"é"'])
def test_usual_variants_are_known(text: str) -> None:
    found = pl.DataFrame({"x": [text]}).select(canonical(pl.col("x"), unique=True)).to_series()
    assert found.to_list() == [parsed_or_none(text, repeats=False)]


def in_flink(value: str) -> str:
    """What Flink writes: of a letter beyond 16 bits the whole number and the second half."""
    short = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\", "/": "/"}
    shown = []
    for letter in value:
        code = ord(letter)
        numbers = [code] if code >= 128 else []
        numbers += [0xDC00 | code & 0x3FF] if code >= 0x10000 else []
        plain = f"\\{short[letter]}" if letter in short else letter
        shown.append("".join(f"\\u{number:04x}" for number in numbers) or plain)
    return f'"{"".join(shown)}"'


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
@example(["\U0001f600\x7f\x00", "é\u2028", ""])
def test_quotes_in_ascii(values: list[str]) -> None:
    made = rewritten(pl.col("x"), quote, growth=6, more=2)
    found = pl.DataFrame({"x": values}).select(made).to_series()
    assert found.to_list() == [in_flink(value) for value in values]


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4))
@example(['[{"a": "]}\\\\"}, [[]], "\\\\n", null, true, -1.50]', "[]", "{}", "1"])
def test_items_of_arrays(values: list[str]) -> None:
    texts = [parsed_or_none(value, repeats=True) for value in values]
    found = pl.DataFrame({"x": pl.Series(texts, dtype=pl.String)}).select(items(pl.col("x")))
    for text, row in zip(texts, found["x"].to_list(), strict=True):
        array = None if text is None else json.loads(text)
        if not isinstance(array, list):
            assert row is None
            continue
        assert len(row) == len(array)
        for shown, item in zip(row, array, strict=True):
            assert item == (shown if isinstance(item, str | None) else json.loads(shown))
