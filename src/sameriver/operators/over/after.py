"""Results of accumulators after each of many changes."""

from __future__ import annotations

import polars as pl

from sameriver.common.changes import Changes
from sameriver.operators.aggregation import Aggregation
from sameriver.operators.joined_rows import in_order
from sameriver.operators.rounds import rounds
from sameriver.state.kernels.types import Ints


def results_after(
    aggregation: Aggregation, slots: Ints, changes: Changes, now: int, after: Ints
) -> pl.DataFrame:
    """Folds changes and gives the results right after some of them.

    Args:
        aggregation: takes the changes.
        slots: of each change.
        changes: in order.
        now: processing time in ms.
        after: numbers of the changes whose results are asked for, repeats allowed.
    """
    if aggregation.running:
        touched = aggregation.change(slots, changes, now, by_row=True)
        return aggregation.results_of(touched.after[after], slots[after])
    return _in_rounds(aggregation, slots, changes, now)[pl.Series(after)]


def _in_rounds(aggregation: Aggregation, slots: Ints, changes: Changes, now: int) -> pl.DataFrame:
    """The first changes of all slots at once, then the second ones, and so on."""
    parts, places = [], rounds(slots)
    for rows in places:
        aggregation.change(slots[rows], changes.gather(pl.Series(rows)), now)
        parts.append(aggregation.results(slots[rows]))
    return in_order(parts, places)
