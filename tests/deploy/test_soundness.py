"""A verdict holds: after it the output is that of the new query over all input."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from .backfill import FILLED, try_backfill
from .edits import EVERY
from .soundness import try_edit

EDITS = int(os.environ.get("EDITS", "110")) // len(EVERY)
"""Edits of each kind of query that are tried, backfills a third; ``make test-slow`` sets more."""


@pytest.mark.parametrize("family", EVERY)
def test_edits_are_judged_soundly(family: str, tmp_path: Path) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(EDITS):
        outcome = try_edit(family, seed, tmp_path / str(seed))
        if outcome is not None:
            assert not outcome.problem, f"{outcome.problem}\n{outcome.old}\n{outcome.new}"
            verdicts[outcome.verdict.value] += 1
    assert len(verdicts) > 1 or (verdicts and EDITS < 10), verdicts


@pytest.mark.parametrize("family", FILLED)
def test_what_is_filled_from_history_is_exact(family: str, tmp_path: Path) -> None:
    outcomes = [
        try_backfill(family, seed, tmp_path / str(seed)) for seed in range(max(1, EDITS // 3))
    ]
    assert not any(outcomes), "\n".join(filter(None, outcomes))
