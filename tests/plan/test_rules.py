"""Rewrites keep what a query means: random plans give the same rows before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st
from planned import aggregate, call, column, group, number, scan, select, where, window

from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, BOOLEAN, INT
from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.rules import RULES, rewrite
from sameriver.plan.rules.fold_constants import fold
from sameriver.plan.table import Table

Row = Mapping[str, object]

NUMBERS = Table(
    name="numbers",
    schema=Schema.of([("a", INT), ("b", INT), ("c", INT)]),
    physical=(Field("a", INT), Field("b", INT), Field("c", INT)),
)
ROWS: list[Row] = [
    {"a": a, "b": b, "c": c} for a, b, c in [(1, 2, 3), (1, 2, 3), (2, 0, 1), (3, 1, 2), (0, 3, 3)]
]


def evaluate(expression: Expression, row: Row) -> object:
    match expression:
        case Column(name=name):
            return row[name]
        case Literal(value=value):
            return value
        case Call(function=function, args=args):
            left, right = (evaluate(arg, row) for arg in args)
            assert isinstance(left, int)
            assert isinstance(right, int)
            return {
                "+": left + right,
                "*": left * right,
                "<": left < right,
                "=": left == right,
                "AND": bool(left and right),
                "OR": bool(left or right),
            }[function]


def run(node: Logical) -> list[Row]:
    """The rows of a plan over ``ROWS``."""
    match node:
        case logical.Scan():
            return [{name: row[name] for name in node.schema.names} for row in ROWS]
        case logical.Project(columns=columns):
            below = run(node.input)
            return [{c.name: evaluate(c.expression, row) for c in columns} for row in below]
        case logical.Filter(condition=condition):
            return [row for row in run(node.input) if evaluate(condition, row)]
        case logical.Union():
            names = node.schema.names
            below = [row for branch in node.inputs for row in run(branch)]
            return [dict(zip(names, row.values(), strict=True)) for row in below]
        case logical.Aggregate():
            return _groups(node)
    raise AssertionError(node)


def _groups(node: logical.Aggregate) -> list[Row]:
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in run(node.input):
        groups.setdefault(tuple(row[key] for key in node.keys), []).append(row)
    result: list[Row] = []
    for key, rows in groups.items():
        made: dict[str, object] = dict(zip(node.keys, key, strict=True))
        for each in node.calls:
            read = [evaluate(arg, row) for row in rows for arg in each.args]
            made[each.name] = sum(v for v in read if isinstance(v, int)) if each.args else len(rows)
        result.append({name: made[name] for name in node.schema.names})
    return result


@st.composite
def values(draw: st.DrawFn, node: Logical) -> Expression:
    leaf = st.one_of(
        st.sampled_from([column(node, name) for name in node.schema.names]),
        st.builds(number, st.integers(0, 3)),
    )
    first = draw(leaf)
    if draw(st.booleans()):
        return first
    return call(draw(st.sampled_from("+*")), first, draw(leaf), type=INT)


@st.composite
def conditions(draw: st.DrawFn, node: Logical) -> Expression:
    atom = st.one_of(
        st.builds(call, st.sampled_from("<="), values(node), values(node)),
        st.sampled_from([Literal(True, BOOLEAN), Literal(False, BOOLEAN)]),
    )
    joined = st.builds(call, st.sampled_from(["AND", "OR"]), atom, atom)
    return draw(st.one_of(atom, joined))


@st.composite
def plans(draw: st.DrawFn) -> Logical:
    node: Logical = scan(NUMBERS)
    for _ in range(draw(st.integers(0, 6))):
        step = draw(st.sampled_from(["project", "filter", "union", "group", "distinct"]))
        names = node.schema.names
        if step == "project":
            wanted = draw(st.lists(values(node), min_size=1, max_size=3))
            named = tuple(Named(f"x{i}", expression) for i, expression in enumerate(wanted))
            node = logical.Project(input=node, columns=named)
        elif step == "filter":
            node = where(node, draw(conditions(node)))
        elif step == "union":
            other = select(node, **{f"y{i}": draw(values(node)) for i in range(len(names))})
            node = logical.Union(inputs=(node, other), schema=node.schema)
        else:
            keys = tuple(draw(st.lists(st.sampled_from(names), min_size=1, unique=True)))
            calls = (
                aggregate("n0", "COUNT"),
                aggregate("n1", "SUM", draw(values(node))),
                aggregate("n2", "SUM", draw(values(node))),
            )
            node = group(node, keys, *(calls if step == "group" else ()))
            node = select(node, **{f"z{i}": name for i, name in enumerate(node.schema.names)})
    return node


@given(plans())
@settings(max_examples=300, deadline=None)
def test_rewriting_keeps_rows_and_schema(node: Logical) -> None:
    rewritten = rewrite(node)
    assert rewritten.schema == node.schema
    assert _count(rewritten) == _count(node)


@given(plans())
@settings(max_examples=50, deadline=None)
def test_each_rule_keeps_rows_and_schema(node: Logical) -> None:
    for rule in RULES:
        changed = rule(node)
        assert changed.schema == node.schema
        assert _count(changed) == _count(node)
        node = changed


def _count(node: Logical) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row.values()) for row in run(node))


def test_a_volatile_condition_stays_above_the_projection() -> None:
    orders = scan()
    drawn = select(orders, r=call("RAND_INTEGER", number(3), type=INT))
    rewritten = rewrite(where(drawn, call("<", column(drawn, "r"), number(1))))
    assert isinstance(rewritten, logical.Filter)


def test_an_expression_read_twice_is_computed_once() -> None:
    orders = scan()
    inner = select(orders, d=call("*", column(orders, "qty"), column(orders, "qty"), type=INT))
    twice = select(inner, e=call("+", column(inner, "d"), column(inner, "d"), type=INT))
    rewritten = rewrite(twice)
    assert isinstance(rewritten, logical.Project)
    assert isinstance(rewritten.input, logical.Project)


def test_a_filter_that_reads_no_window_column_goes_below_the_window() -> None:
    windowed = window(scan())
    rewritten = rewrite(where(windowed, call("<", column(windowed, "qty"), number(1))))
    assert isinstance(rewritten, logical.WindowTable)


def test_sums_that_would_wrap_are_not_folded() -> None:
    most = number(2**31 - 1)
    assert fold(call("+", most, number(1), type=INT)) == call("+", most, number(1), type=INT)
    wide = call("+", number(1, BIGINT), number(2, BIGINT), type=BIGINT)
    assert fold(wide) == Literal(3, BIGINT)
