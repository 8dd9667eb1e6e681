"""Top-N: the rows of each key in a range of ranks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from sameriver.common.changes import ChangeKind, Changes, concat
from sameriver.common.dataclass import dataclass
from sameriver.common.frames import gathered, picked, stacked
from sameriver.common.types import TimeAttribute
from sameriver.operators.first_rows import FirstRows
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.ranking import ranked, sorted_by
from sameriver.operators.threshold import Threshold
from sameriver.plan.physical.ordering import key_names
from sameriver.plan.physical.top_n import TopN
from sameriver.state.index import fingerprints
from sameriver.state.kernels.types import Ints
from sameriver.state.ranked_rows import RankedRows
from sameriver.state.room import grown
from sameriver.state.timed_rows import Mask


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """The rows of the keys that a step touches, those that were there and those that came.

    Attributes:
        places: where each row, of the old ones first, is kept; what is not kept is never shown.
        groups: the slot of each.
        old, new: the rank of each before and after; 0: it was or is not there.
    """

    places: Ints
    groups: Ints
    old: Ints
    new: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Events:
    """Rows to emit: place in the lists, kind, rank, and their order within a key."""

    places: Ints
    kinds: np.ndarray
    ranks: Ints
    major: Ints
    minor: Ints


class TopNOperator(Operator):
    """Keeps the rows of each key in order and emits how those in the range change.

    Of equal rows the earlier one is first. With ROW_NUMBER shown, or for a single row or ranks
    that don't start at 1, a rank gets its new row by -U, +U; else rows leave by -D and enter by
    +I. Other ranks move with their row. A row taken back that is not there is ignored. A batch
    counts as a whole if the node is ``folded``, else row by row, where -U and the +U after it are
    one.
    """

    def __init__(self, node: TopN, context: OperatorContext) -> None:
        super().__init__(context)
        self._node = node
        self._rows = RankedRows(node.state()[0], node.input.schema.to_polars(), node.partition)
        context.store.register(self._rows)
        self._arrivals = np.zeros(0, np.int64)
        # The clock may have moved on when a row is taken back.
        self._compared = [
            field.name
            for field in node.input.schema
            if field.type.attribute is not TimeAttribute.PROCTIME
        ]
        # Without an order one column still tells how many rows there are.
        self._sorted_by = list(dict.fromkeys(key_names(node.order))) or node.input.schema.names[:1]
        self.needs = FirstRows.of(node)
        prunes = not node.retract and node.function == "ROW_NUMBER"
        self._threshold = Threshold(node.order, node.input.schema) if prunes else None

    def process(self, port: int, changes: Changes) -> Iterable[Changes]:
        if not len(changes):
            return
        now = self.context.clock.now()
        expired = self._rows.sweep(now)
        if self._threshold is not None:
            self._threshold.clear(expired)
        slots = self._rows.slots(changes.rows)
        if len(self._arrivals) < self._rows.capacity:
            self._arrivals = grown(self._arrivals, self._rows.capacity)
        if self._node.folded:
            emitted, _ = self._step(changes, slots, np.arange(len(slots)), now)
        else:
            emitted = self._in_rounds(changes, slots, now)
        # Not before: a list that a round leaves empty may be filled again by the next.
        self._rows.tidy(slots)
        if len(emitted):
            yield emitted

    def _in_rounds(self, changes: Changes, slots: Ints, now: int) -> Changes:
        """The first rows of all keys at once, then the second ones, and so on."""
        rounds = _rounds(changes, slots)
        order = np.argsort(rounds, kind="stable")
        parts, places = [], []
        for rows in np.split(order, np.flatnonzero(np.diff(rounds[order])) + 1):
            part, at = self._step(changes.gather(pl.Series(rows)), slots[rows], rows, now)
            parts.append(part)
            places.append(at)
        return concat(parts).gather(pl.Series(np.argsort(np.concatenate(places), kind="stable")))

    def _step(self, changes: Changes, slots: Ints, numbers: Ints, now: int) -> tuple[Changes, Ints]:
        """What a batch changes; and for each row the number of the input row that is the cause."""
        if self._threshold is not None:
            self._threshold.clear(self._rows.expired(slots, now))
            hopeful = self._threshold.lets(changes.rows, slots)
            if not hopeful.all():
                changes = changes.filter(pl.Series(hopeful))
                slots, numbers = slots[hopeful], numbers[hopeful]
        self._arrivals[slots] = numbers
        lists = self._change(changes, slots, now)
        events = self._events(lists)
        groups = lists.groups[events.places]
        order = sorted_by([self._arrivals[groups], events.major, events.minor])
        rows = self._rows.gather(lists.places[events.places[order]])
        if self._node.rank is not None:
            rows = rows.with_columns(pl.Series(self._node.rank, events.ranks[order]))
        kinds = pl.Series(events.kinds[order], dtype=pl.UInt8)
        return Changes(rows, kinds), self._arrivals[groups[order]]

    def _change(self, changes: Changes, slots: Ints, now: int) -> _Lists:
        """Changes the lists of the keys of a batch."""
        node = self._node
        touched = self._rows.distinct(slots)
        of, places = self._rows.take(touched, now)
        added, gone = _sides(changes)
        fresh = changes.rows if not len(gone) else changes.rows[pl.Series(added)]
        groups = np.concatenate([of, slots[added]])
        keys = stacked([self._rows.gather(places, self._sorted_by), picked(fresh, self._sorted_by)])
        kept = np.arange(len(groups))
        if len(gone):
            shown = pl.concat([self._rows.gather(places, self._compared), fresh[self._compared]])
            taken = changes.rows[self._compared][pl.Series(gone)]
            kept = _without(shown, groups, taken, slots[gone])
        chosen = keys[pl.Series(kept)] if len(gone) else keys
        numbers, ranks = ranked(chosen, groups[kept], node.order, node.function)
        numbers = kept[numbers]
        after = np.zeros(len(groups), np.int64)
        after[numbers] = ranks
        before = np.zeros(len(groups), np.int64)
        before[: len(of)] = self._ranks(keys[: len(of)], of)
        if not node.retract:
            numbers, ranks = numbers[ranks <= node.end], ranks[ranks <= node.end]
        all_places = self._put(fresh, groups, numbers, places)
        # A list that no row enters is not written, as in Flink, and grows older.
        entered = touched if node.retract else groups[numbers[numbers >= len(of)]]
        self._rows.touch(entered, now)
        if self._threshold is not None:
            last = numbers[ranks == node.end]
            self._threshold.set(gathered(keys, pl.Series(last)), groups[last])
        return _Lists(all_places, groups, before, after)

    def _ranks(self, keys: pl.DataFrame, groups: Ints) -> Ints:
        """Ranks of lists that are in order."""
        if self._node.function == "ROW_NUMBER":
            return self._rows.positions(groups)
        ranks = np.empty(len(groups), np.int64)
        numbers, sorted_ranks = ranked(keys, groups, self._node.order, self._node.function)
        ranks[numbers] = sorted_ranks
        return ranks

    def _put(self, fresh: pl.DataFrame, groups: Ints, numbers: Ints, places: Ints) -> Ints:
        """Stores the lists: the rows of ``numbers``, in order. Gives where all rows are kept."""
        count = len(places)
        entering = np.sort(numbers[numbers >= count]) - count
        start = self._rows.add(gathered(fresh, pl.Series(entering)))
        of = np.full(len(groups), -1, np.int64)
        of[:count] = places
        of[count + entering] = np.arange(start, start + len(entering))
        self._rows.put(groups[numbers], of[numbers])
        return of

    def _events(self, lists: _Lists) -> _Events:
        node = self._node
        was, is_ = self._visible(lists.old), self._visible(lists.new)
        by_rank = node.rank is not None or node.start > 1 or node.end == 1
        if node.function == "ROW_NUMBER" and by_rank:
            return _by_rank(lists, was, is_)
        return _by_row(lists, was, is_, moves=node.rank is not None)

    def _visible(self, ranks: Ints) -> Mask:
        return (ranks > 0) & (ranks >= self._node.start) & (ranks <= self._node.end)


def _rounds(changes: Changes, slots: Ints) -> Ints:
    """How many rows of its key come before each row; -U and the +U after it are one."""
    joined = np.zeros(len(slots), np.bool_)
    if changes.kinds is not None:
        kinds = changes.kinds.to_numpy()
        joined[1:] = (
            (kinds[1:] == ChangeKind.UPDATE_AFTER)
            & (kinds[:-1] == ChangeKind.UPDATE_BEFORE)
            & (slots[1:] == slots[:-1])
        )
    starts = pl.DataFrame([pl.Series("slot", slots), pl.Series("start", ~joined)])
    count = starts.select(pl.col("start").cum_sum().over("slot")).to_series()
    return count.cast(pl.Int64).to_numpy() - 1


def _sides(changes: Changes) -> tuple[Ints, Ints]:
    """Numbers of the rows that are added, and of those that are taken back."""
    signs = changes.signs()
    if signs is None:
        return np.arange(len(changes)), np.zeros(0, np.int64)
    return np.flatnonzero(signs.to_numpy() > 0), np.flatnonzero(signs.to_numpy() < 0)


def _without(rows: pl.DataFrame, groups: Ints, gone: pl.DataFrame, of: Ints) -> Ints:
    """Numbers of the rows that are left when equal ones have gone, the first of them first."""
    left, right = _numbered(rows, groups), _numbered(gone, of)
    kept = left.with_row_index("row").join(right, on=left.columns, how="anti", nulls_equal=True)
    return np.sort(kept["row"].cast(pl.Int64).to_numpy())


def _numbered(rows: pl.DataFrame, groups: Ints) -> pl.DataFrame:
    """Words that tell rows apart, equal rows of a key numbered."""
    first, second = fingerprints(rows.with_columns(pl.Series("$group", groups)))
    words = pl.DataFrame([pl.Series("first", first), pl.Series("second", second)])
    return words.with_columns(pl.int_range(pl.len()).over("first", "second").alias("number"))


def _by_rank(lists: _Lists, was: Mask, is_: Mask) -> _Events:
    """Each rank whose row is another one: -U, +U; -D or +I if it had or has none."""
    stays = was & is_ & (lists.old == lists.new)
    left, came = np.flatnonzero(was & ~stays), np.flatnonzero(is_ & ~stays)
    places = np.concatenate([left, came])
    ranks = np.concatenate([lists.old[left], lists.new[came]])
    side = np.repeat([0, 1], [len(left), len(came)])
    order = sorted_by([lists.groups[places], ranks, side])
    places, ranks, side = places[order], ranks[order], side[order]
    groups = lists.groups[places]
    pair = (side[:-1] < side[1:]) & (ranks[:-1] == ranks[1:]) & (groups[:-1] == groups[1:])
    kinds = np.where(side == 0, ChangeKind.DELETE, ChangeKind.INSERT).astype(np.uint8)
    first = np.flatnonzero(pair)
    kinds[first], kinds[first + 1] = ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER
    return _Events(places, kinds, ranks, ranks, side)


def _by_row(lists: _Lists, was: Mask, is_: Mask, *, moves: bool) -> _Events:
    """Rows that leave, then those that enter or, with ``moves``, get another rank."""
    left, came = np.flatnonzero(was & ~is_), np.flatnonzero(is_ & ~was)
    moved = np.flatnonzero(was & is_ & (lists.old != lists.new) & moves)
    sizes = [len(left), len(came), len(moved), len(moved)]
    kinds = (
        ChangeKind.DELETE,
        ChangeKind.INSERT,
        ChangeKind.UPDATE_BEFORE,
        ChangeKind.UPDATE_AFTER,
    )
    return _Events(
        places=np.concatenate([left, came, moved, moved]),
        kinds=np.repeat(np.array(kinds, np.uint8), sizes),
        ranks=np.concatenate(
            [lists.old[left], lists.new[came], lists.old[moved], lists.new[moved]]
        ),
        major=np.concatenate(
            [np.zeros(len(left), np.int64), lists.new[came], lists.new[moved], lists.new[moved]]
        ),
        minor=np.repeat([0, 1, 0, 1], sizes),
    )
