"""Fields of objects within objects: found in one pass over a line, whatever their order."""

from __future__ import annotations

import json

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, STRING, DataType, Root, row
from sameriver.connectors.formats.format import Columns, Parsed
from sameriver.connectors.formats.registry import format_of

INNER = row([("p", BIGINT), ("q", STRING), ("deep", row([("p", BIGINT), ("r", STRING)]))])
NUMBERS = st.none() | st.integers(-(2**63), 2**63 - 1)
TEXTS = st.none() | st.text(max_size=40)
EXTRA = st.dictionaries(
    st.text(max_size=5).filter(lambda name: name not in ("p", "q", "r", "deep", "a", "b")),
    st.recursive(NUMBERS | TEXTS | st.booleans(), st.lists, max_leaves=4),
    max_size=2,
)


@st.composite
def shuffled(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[object]]) -> dict[str, object]:
    """An object with some of the fields and others, in any order."""
    names = draw(st.lists(st.sampled_from(sorted(fields)), unique=True))
    pairs = [*((name, draw(fields[name])) for name in names), *draw(EXTRA).items()]
    return dict(draw(st.permutations(pairs)))


DEEP = shuffled({"p": NUMBERS, "r": TEXTS})
OBJECTS = shuffled({"p": NUMBERS, "q": TEXTS, "deep": st.none() | DEEP})
LINES = shuffled({"a": NUMBERS, "b": st.none() | OBJECTS})


def parsed(text: str, type: DataType) -> Parsed:
    make = format_of("json").text
    assert make is not None
    schema = Schema((Field("a", BIGINT), Field("b", type)))
    options = {"json.ignore-parse-errors": "true"}
    return make(Columns(declared=schema, wanted=schema), options).parse(text.encode(), True)


def picked(value: object, type: DataType) -> object:
    """A value as a row of the type holds it."""
    if type.root is not Root.ROW:
        return value
    if not isinstance(value, dict):
        return None
    pairs = zip(type.names, type.children, strict=True)
    return {name: picked(value.get(name), child) for name, child in pairs}


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=6), st.booleans(), st.sampled_from([None, 0]))
def test_values_are_those_of_the_objects(
    lines: list[dict[str, object]], ascii: bool, indent: int | None
) -> None:
    separators = (",", ":") if indent == 0 else (" , ", " :\t")
    text = "".join(
        json.dumps(line, ensure_ascii=ascii, separators=separators) + "\n" for line in lines
    )
    found = parsed(text, INNER)
    assert found.changes.rows["b"].to_list() == [picked(line.get("b"), INNER) for line in lines]
    assert found.changes.rows["a"].to_list() == [line.get("a") for line in lines]
    assert not any(found.counters.values())


PIECES = st.lists(
    st.sampled_from(
        ['"p":1', '"p":01', '"q":"x"', '"q":"\\x"', '"p"', '"deep":{"p":2,"r":"y"}',
         '"deep":{"p":tru}', '"deep":{"p":[1}}', '"deep":{"p":3},"deep":null',
         '"deep":null', '"deep":[]', "", ","]
    ),
    max_size=5,
).map(lambda parts: "{" + ",".join(parts) + "}")  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=5))
def test_broken_objects_are_read_as_they_are_within_arrays(objects: list[str]) -> None:
    """Objects of an array are looked into on their own."""
    alone = parsed("".join(f'{{"a":1,"b":{text}}}\n' for text in objects), INNER)
    list_type = DataType(root=Root.ARRAY, children=(INNER,))
    listed = parsed("".join(f'{{"a":1,"b":[{text}]}}\n' for text in objects), list_type)
    rows = alone.changes.rows
    assert rows["b"].to_list() == listed.changes.rows["b"].list.first().to_list()
    assert rows["a"].equals(pl.Series("a", [1] * rows.height, dtype=pl.Int64))
    assert alone.counters == listed.counters


def test_a_row_read_in_part_is_known_by_its_fields_alone() -> None:
    """Nobody asks whether it is NULL; one that is read as a whole is NULL where there is none."""
    make = format_of("json").text
    assert make is not None
    declared = Schema((Field("a", BIGINT), Field("b", INNER)))
    text = b'{"a":1,"b":{"p":1,"q":"x"}}\n{"a":2,"b":null}\n{"a":3}\n'
    found = {}
    for names in (["p"], ["p", "q", "deep"]):
        kept = row([(n, t) for n, t in zip(INNER.names, INNER.children, strict=True) if n in names])
        wanted = Schema((Field("a", BIGINT), Field("b", kept)))
        reader = make(Columns(declared=declared, wanted=wanted), {})
        found[len(names)] = reader.parse(text, True).changes.rows["b"]
    assert found[1].struct.field("p").to_list() == [1, None, None]
    assert found[3].to_list() == [{"p": 1, "q": "x", "deep": None}, None, None]
