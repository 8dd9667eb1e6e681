"""Grouping sets."""

from __future__ import annotations

import pytest
from stateless import SCAN, SCHEMA, changes, context

from sameriver.common.changes import Changes
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT
from sameriver.operators.expand import ExpandOperator
from sameriver.plan.physical.expand import Expand


@pytest.fixture
def operator() -> ExpandOperator:
    node = Expand(
        schema=Schema((*SCHEMA.fields, Field("$g", BIGINT))),
        input=SCAN,
        keys=("k", "n"),
        sets=(("k", "n"), ("k",), ()),
        id="$g",
    )
    return ExpandOperator(node, context())


def expanded(operator: ExpandOperator, batch: Changes) -> Changes:
    (event,) = operator.process(0, batch)
    assert isinstance(event, Changes)
    return event


def test_each_row_comes_once_a_set_with_the_other_keys_null(operator: ExpandOperator) -> None:
    rows = expanded(operator, changes(("a", 1, 0), ("b", 2, 0))).rows
    assert rows.select("k", "n", "$g").rows() == [
        ("a", 1, 0), ("a", None, 1), (None, None, 3),
        ("b", 2, 0), ("b", None, 1), (None, None, 3),
    ]  # fmt: skip


def test_copies_keep_the_kind(operator: ExpandOperator) -> None:
    kinds = expanded(operator, changes(("a", 1, 0), ("a", 2, 0), kinds=[1, 2])).kinds
    assert kinds is not None
    assert kinds.to_list() == [1, 1, 1, 2, 2, 2]


def test_only_the_last_copy_moves_the_watermark(operator: ExpandOperator) -> None:
    operator.watermark = -5
    batch = changes(("a", 1, 0), ("b", 1, 0), watermarks=[3, 8])
    watermarks = expanded(operator, batch).watermarks
    assert watermarks is not None
    assert watermarks.to_list() == [-5, -5, 3, 3, 3, 8]
