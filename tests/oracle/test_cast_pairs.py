"""Flink was asked for CAST of each type to each other, and for TRY_CAST where it allows that."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest

from sameriver.common.errors import SameriverError
from sameriver.common.types import Root
from sameriver.sql import parse_type

from .asking import bind
from .questions import Question, families, stored

Pair = tuple[Root, Root]
_NOT_WRITTEN = (Root.NULL, Root.DESCRIPTOR)
"""Types that SQL has no words for."""


_CAST = re.compile(r"(TRY_)?CAST\((.+) AS (.+)\)")


def _cast(expression: str) -> tuple[bool, Pair] | None:
    """Whether it is TRY_CAST, and from what to what; None if it is no cast of valid SQL."""
    found = _CAST.fullmatch(expression)
    if found is None:
        return None
    attempt, operand, target = found.groups()
    try:
        source = Root.NULL if operand == "NULL" else bind(Question(operand)).type.root
        return attempt is not None, (source, parse_type(target).root)
    except SameriverError:
        return None


@dataclass(slots=True)
class Asked:
    """Pairs of types that Flink was asked about, and those that it can cast."""

    casts: set[Pair] = field(default_factory=set)
    attempts: set[Pair] = field(default_factory=set)
    allowed: set[Pair] = field(default_factory=set)


@pytest.fixture(scope="module")
def asked() -> Asked:
    found = Asked()
    for family in families():
        for question, answer in stored(family).items():
            cast = None if question.final else _cast(question.expression)
            if cast is None:
                continue
            attempt, pair = cast
            (found.attempts if attempt else found.casts).add(pair)
            if answer.values:
                found.allowed.add(pair)
    return found


def _pairs() -> set[Pair]:
    targets = [root for root in Root if root not in _NOT_WRITTEN]
    return {(one, two) for one in [*targets, Root.NULL] for two in targets}


def test_each_pair_of_types_has_a_cast(asked: Asked) -> None:
    assert sorted(map(str, _pairs() - asked.casts - asked.attempts)) == []


def test_each_pair_that_can_be_cast_has_an_attempt(asked: Asked) -> None:
    assert sorted(map(str, asked.allowed - asked.attempts)) == []
