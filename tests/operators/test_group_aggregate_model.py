"""GROUP BY against a plain model, on random changes, batches and restarts."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from grouping import Change, Grouping, Row, node, table
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.schema import Schema
from sameriver.common.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    DataType,
    array,
    decimal,
    multiset,
)
from sameriver.plan.expressions import AggregateCall, Column, Expression

SCHEMA = Schema.of(
    [
        ("k", STRING),
        ("i", INT),
        ("s", STRING),
        ("d", decimal(10, 2)),
        ("w", decimal(30, 3)),
        ("f", DOUBLE),
        ("ok", BOOLEAN),
    ]
)
WRAP = 2**32


def call(
    function: str,
    column: str | None,
    type: DataType,
    *,
    distinct: bool = False,
    filter: bool = False,
) -> AggregateCall:
    args: tuple[Expression, ...] = ()
    if column is not None:
        args = (Column(column, SCHEMA[column]),)
    name = f"{function}_{column}_{int(distinct)}{int(filter)}"
    condition = Column("ok", BOOLEAN) if filter else None
    return AggregateCall(
        name=name, function=function, args=args, distinct=distinct, filter=condition, type=type
    )


def wrapped(total: int) -> int:
    return (total + WRAP // 2) % WRAP - WRAP // 2


def truncated(total: int, count: int) -> int:
    return int(Decimal(total) / count)


def mean(values: list[Decimal]) -> Decimal:
    return (sum(values, Decimal(0)) / len(values)).quantize(Decimal("0.000001"), ROUND_HALF_UP)


def counted(values: list[object]) -> list[dict[str, object]]:
    return [{"key": key, "value": count} for key, count in Counter(values).items()]


Model = Callable[[list[Any]], object]
NUMBERS: list[tuple[str, str, DataType, Model]] = [
    ("SUM", "i", INT, lambda v: wrapped(sum(v)) if v else None),
    ("AVG", "i", INT, lambda v: truncated(sum(v), len(v)) if v else None),
    ("SUM", "d", decimal(38, 2), lambda v: sum(v) if v else None),
    ("AVG", "d", decimal(38, 6), lambda v: mean(v) if v else None),
    ("SUM", "w", decimal(38, 3), lambda v: sum(v) if v else None),
    ("SUM", "f", DOUBLE, lambda v: sum(v) if v else None),
    ("AVG", "f", DOUBLE, lambda v: sum(v) / len(v) if v else None),
    ("VAR_POP", "f", DOUBLE, lambda v: statistics.pvariance(v) if v else None),
    ("STDDEV_SAMP", "f", DOUBLE, lambda v: statistics.stdev(v) if len(v) > 1 else None),
]
ORDERS: list[tuple[str, str, DataType, Model]] = [
    (function, column, SCHEMA[column], model)
    for function, model in (
        ("MIN", lambda v: min(v, default=None)),
        ("MAX", lambda v: max(v, default=None)),
        ("FIRST_VALUE", lambda v: v[0] if v else None),
        ("LAST_VALUE", lambda v: v[-1] if v else None),
    )
    for column in ("i", "s", "d", "w", "f")
]
LISTS: list[tuple[str, str, DataType, Model]] = [
    ("LISTAGG", "s", STRING, lambda v: ",".join(v) if v else None),
    ("ARRAY_AGG", "i", array(INT), lambda v: v or None),
    ("COLLECT", "s", multiset(STRING), counted),
]
COUNTS: list[tuple[str, str, DataType, Model]] = [("COUNT", "s", BIGINT.not_null, len)]


class Rows:
    """Changes by key since it last had no rows; what is taken back is the earliest of its like."""

    def __init__(self, calls: list[tuple[AggregateCall, Model]]) -> None:
        self.calls = calls
        self.changes: dict[object, list[tuple[bool, Row]]] = {}

    def apply(self, change: Change) -> None:
        kind, row = change
        changes = self.changes.setdefault(row[0], [])
        changes.append((kind in ("+I", "+U"), row))
        if sum(1 if added else -1 for added, _ in changes) == 0:
            del self.changes[row[0]]

    def table(self) -> dict[Row, Row]:
        return {
            (key,): (key, *(self.value(call, model, changes) for call, model in self.calls))
            for key, changes in self.changes.items()
        }

    def value(self, call: AggregateCall, model: Model, changes: list[tuple[bool, Row]]) -> object:
        if not call.args:
            return sum(1 if added else -1 for added, _ in changes)
        argument = call.args[0]
        assert isinstance(argument, Column)
        place = SCHEMA.names.index(argument.name)
        values: list[object] = []
        times: Counter[object] = Counter()
        for added, row in changes:
            value = row[place]
            if (call.filter is not None and not row[-1]) or (
                value is None and call.function != "ARRAY_AGG"
            ):
                continue
            times[value] += 1 if added else -1
            if call.distinct and times[value] != int(added):
                continue
            (values.append if added else values.remove)(value)
        return model(values)


small = st.integers(-3, 3)
row = st.tuples(
    st.sampled_from([None, "a", "b", "c"]),
    st.none() | small | st.just(2**31 - 1),
    st.none() | st.sampled_from(["", "x", "yy", "é"]),
    st.none() | small.map(lambda n: Decimal(n) / 4),
    st.none() | small.map(lambda n: Decimal(n) * 10**20 + Decimal("0.125")),
    st.none() | small.map(lambda n: n / 4),
    st.none() | st.booleans(),
)


@st.composite
def changelog(draw: st.DrawFn, retract: bool) -> list[Change]:
    """Changes in which every row that is taken back was there."""
    changes: list[Change] = []
    present: list[Row] = []
    for _ in range(draw(st.integers(1, 14))):
        if retract and present and draw(st.integers(0, 2)) == 0:
            taken = draw(st.sampled_from(present))
            present.remove(taken)
            changes.append((draw(st.sampled_from(["-U", "-D"])), taken))
        else:
            made = draw(row)
            present.append(made)
            changes.append((draw(st.sampled_from(["+I", "+U"])) if retract else "+I", made))
    return changes


def same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return left == pytest.approx(right, abs=1e-9)
    if isinstance(left, list) and left and isinstance(left[0], dict):
        return sorted(map(repr, left)) == sorted(map(repr, right))
    return bool(left == right)


def check(
    changes: list[Change],
    cuts: list[int],
    stops: list[bool],
    calls: list[tuple[AggregateCall, Model]],
    *,
    retract: bool,
    folded: bool,
) -> None:
    plan = node(SCHEMA, ["k"], [c for c, _ in calls], retract=retract, folded=folded)
    grouping, model, out = Grouping(plan), Rows(calls), []
    bounds = sorted({0, len(changes), *(cut % (len(changes) + 1) for cut in cuts)})
    for start, stop, restart in zip(bounds, bounds[1:], stops, strict=False):
        out += grouping.feed(changes[start:stop])
        for change in changes[start:stop]:
            model.apply(change)
        expected = model.table()
        actual = table(out, 1)
        assert actual.keys() == expected.keys()
        for key, values in actual.items():
            for name, left, right in zip(plan.schema.names, values, expected[key], strict=True):
                assert same(left, right), (key, name, left, right)
        if restart:
            grouping.restart()


def variants(
    specs: list[tuple[str, str, DataType, Model]], *, distinct: bool, filter: bool
) -> list[tuple[AggregateCall, Model]]:
    return [
        (call(function, column, type, distinct=distinct, filter=filter), model)
        for function, column, type, model in specs
    ]


SPECS = {"counts": COUNTS, "numbers": NUMBERS, "orders": ORDERS, "lists": LISTS}
STAR = (call("COUNT", None, BIGINT.not_null), len)


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "rows"])
@pytest.mark.parametrize("retract", [False, True], ids=["append", "retract"])
@pytest.mark.parametrize("specs", SPECS)
def test_adds_up_to_the_model(specs: str, retract: bool, folded: bool) -> None:
    calls = [
        *variants(SPECS[specs], distinct=False, filter=False),
        *variants(SPECS[specs], distinct=True, filter=False),
        *variants(SPECS[specs], distinct=False, filter=True),
        STAR,
    ]

    @settings(max_examples=12, deadline=None)
    @given(
        changelog(retract),
        st.lists(st.integers(0, 14), max_size=3),
        st.lists(st.booleans(), min_size=4, max_size=4),
    )
    def run(changes: list[Change], cuts: list[int], stops: list[bool]) -> None:
        check(changes, cuts, stops, calls, retract=retract, folded=folded)

    run()
