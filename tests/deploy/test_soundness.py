"""A verdict holds: after it the output is that of the new query over all input."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from .edits import EVERY
from .soundness import try_edit

EDITS = int(os.environ.get("EDITS", "96")) // len(EVERY)
"""How many edits of each kind of query are tried; ``make test-slow`` sets more."""


@pytest.mark.parametrize("family", EVERY)
def test_edits_are_judged_soundly(family: str, tmp_path: Path) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(EDITS):
        outcome = try_edit(family, seed, tmp_path / str(seed))
        if outcome is not None:
            assert not outcome.problem, f"{outcome.problem}\n{outcome.old}\n{outcome.new}"
            verdicts[outcome.verdict.value] += 1
    assert len(verdicts) > 1, verdicts
