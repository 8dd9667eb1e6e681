"""Expressions over edge values give what Apache Flink 2.3.0 gave: type and values.

``differences.txt`` lists, under a remark that says why, the few that do not, and may not.
"""

from __future__ import annotations

import pytest

from .asking import alike, answer
from .questions import DIFFERENCES, Answer, families, questions, stored

DIFFERENT = frozenset(questions(DIFFERENCES))
ANSWERS = [found for family in families() for found in stored(family).values()]


@pytest.mark.parametrize("theirs", ANSWERS, ids=lambda found: found.question.expression)
def test_answer_is_flinks(theirs: Answer) -> None:
    ours = answer(theirs.question)
    if theirs.question in DIFFERENT:
        assert not alike(theirs, ours), "strike it off the list of differences"
    else:
        assert alike(theirs, ours), (theirs.type, theirs.values, ours.type, ours.values)


@pytest.mark.parametrize("family", families())
def test_each_question_has_an_answer(family: str) -> None:
    assert list(questions(family)) == list(stored(family))


def test_few_differ() -> None:
    """Fewer than one in a hundred; a difference that goes is struck off the list."""
    known = {found.question for found in ANSWERS}
    assert DIFFERENT.issubset(known)
    assert len(DIFFERENT) * 100 < len(known)
