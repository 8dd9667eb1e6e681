"""Merging of sessions, row by row as Flink does it."""

from __future__ import annotations

import numpy as np
from numba import int64

from sameriver.common.dataclass import dataclass
from sameriver.common.kernel import kernel
from sameriver.state.kernels.types import INTS, READ_INTS, Ints

DROPPED = -1


@dataclass(frozen=True, slots=True)
class Merged:
    """Sessions after a batch. The first are the stored ones, a further one stands for each row.

    Attributes:
        rows: session of each row, or ``DROPPED``.
        roots: what each session has become part of; itself if it still stands.
        starts: of each session that stands.
        ends: likewise.
    """

    rows: Ints
    roots: Ints
    starts: Ints
    ends: Ints


@dataclass(frozen=True, slots=True)
class Stored:
    """Open sessions of the keys that a batch has; groups number the keys."""

    groups: Ints
    starts: Ints
    ends: Ints


def merge_sessions(stored: Stored, groups: Ints, times: Ints, before: Ints, gap: int) -> Merged:
    """Puts each row in a session of its group that it touches, or a new one.

    Sessions that a row connects become one; touching ends connect. A session that ends at or
    before ``before`` of a row has fired and takes nothing any more. A row that touches no open
    session is dropped if its own would have fired.

    Args:
        stored: open sessions, those of a group in any order.
        groups: key of each row, below their number.
        times: of each row, in ms.
        before: end up to which sessions have fired before each row; never falling.
        gap: length of a row's own session.
    """
    order = np.lexsort((stored.starts, stored.groups))
    known = len(order)
    count = known + len(groups)
    starts, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    starts[:known], ends[:known] = stored.starts, stored.ends
    parents = np.arange(count)
    size = int(max(groups.max(initial=-1), stored.groups.max(initial=-1))) + 1
    heads = np.full(size, -1, np.int64)
    following = np.full(count, -1, np.int64)
    _link(order, np.ascontiguousarray(stored.groups), heads, following)
    rows = np.empty(len(groups), np.int64)
    sequence = _sequence(groups, times, before, gap)
    _merge(
        np.ascontiguousarray(sequence),
        np.ascontiguousarray(groups),
        np.ascontiguousarray(times),
        np.ascontiguousarray(before),
        gap,
        heads,
        following,
        starts,
        ends,
        parents,
        rows,
    )
    _flatten(parents, rows)
    return Merged(rows, parents, starts, ends)


def _sequence(groups: Ints, times: Ints, before: Ints, gap: int) -> Ints:
    """In which order rows are taken: by time where that gives the same, as it is much faster."""
    if len(times) and before[0] == before[-1] and int(times.min()) + gap > int(before[-1]):
        return np.lexsort((times, groups))
    return np.arange(len(times))


@kernel((READ_INTS, READ_INTS, INTS, INTS))
def _link(order: Ints, groups: Ints, heads: Ints, following: Ints) -> None:
    """Chains the sessions of each group, the latest first."""
    for session in order:
        group = groups[session]
        following[session] = heads[group]
        heads[group] = session


@kernel((READ_INTS, READ_INTS, READ_INTS, READ_INTS, int64, INTS, INTS, INTS, INTS, INTS, INTS))
def _merge(
    sequence: Ints,
    groups: Ints,
    times: Ints,
    before: Ints,
    gap: int,
    heads: Ints,
    following: Ints,
    starts: Ints,
    ends: Ints,
    parents: Ints,
    rows: Ints,
) -> None:
    """Sessions of a group stay chained from the latest to the earliest and never touch."""
    known = len(parents) - len(rows)
    for row in sequence:
        group = groups[row]
        start, end = times[row], times[row] + gap
        previous, session, found = -1, heads[group], -1
        while session >= 0:
            after = following[session]
            if ends[session] <= before[row]:
                # It has fired: out of the chain.
                if previous < 0:
                    heads[group] = after
                else:
                    following[previous] = after
            elif starts[session] > end:
                previous = session
            elif ends[session] < start:
                break
            else:
                starts[session] = min(starts[session], start)
                ends[session] = max(ends[session], end)
                if found >= 0:
                    # The row connects two: the earlier goes into the later.
                    starts[found] = starts[session]
                    parents[session] = found
                    following[found] = after
                else:
                    found = previous = session
            session = after
        if found >= 0:
            rows[row] = found
        elif end <= before[row]:
            rows[row] = DROPPED
        else:
            own = known + row
            starts[own], ends[own] = start, end
            following[own] = session
            if previous < 0:
                heads[group] = own
            else:
                following[previous] = own
            rows[row] = own


@kernel((INTS, INTS))
def _flatten(parents: Ints, rows: Ints) -> None:
    """Points every session and every row at what it has become part of."""
    for session in range(len(parents)):
        root = session
        while parents[root] != root:
            root = parents[root]
        parents[session] = root
    for row in range(len(rows)):
        if rows[row] >= 0:
            rows[row] = parents[rows[row]]
