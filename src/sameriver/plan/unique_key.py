"""Which columns tell the rows of a plan apart."""

from __future__ import annotations

from collections.abc import Iterable

from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import parts_of

Key = tuple[str, ...]


def unique_key(node: Logical) -> Key:
    """The first of ``unique_keys``; empty: none is known."""
    return next((key for key in unique_keys(node) if key), ())


def unique_keys(node: Logical) -> tuple[Key, ...]:
    """Sets of columns that no two rows share at a time: a primary key, what a deduplication
    partitions by, the keys of GROUP BY. A row is taken back before another of its key comes.

    As in Flink, only keys outlast a node that hold the columns by which its rows are spread: where
    an update changes those, the old and the new row go separate ways, and may come out in any
    order.

    A key without columns: there is one row at most.
    """
    there = set(node.schema.names)
    return tuple(key for key in dict.fromkeys(_keys(node)) if set(key) <= there)


def _keys(node: Logical) -> Iterable[Key]:
    match node:
        case logical.Scan(table=table):
            return [table.primary_key] if table.primary_key else []
        case logical.Project(input=below, columns=columns):
            return _renamed(unique_keys(below), columns)
        case logical.Filter(input=below, condition=condition):
            first = (key for part in parts_of(condition) for key in _first_of(below, part))
            return [*first, *unique_keys(below)]
        case logical.Aggregate(keys=keys, sets=None):
            return [keys]
        case logical.Rank():
            return [*_ranked(node), *_spread(unique_keys(node.input), node.partition)]
        case logical.Join():
            return _joined(node)
        case logical.TemporalJoin(left=left, processing=False):
            return _spread(unique_keys(left), _equal(node.condition) & set(left.schema.names))
        case logical.Over(input=below, calls=calls):
            return _spread(unique_keys(below), {name for c in calls for name in c.partition})
        case logical.Sort(input=below):
            return unique_keys(below)
    return []


def _spread(keys: Iterable[Key], columns: Iterable[str]) -> list[Key]:
    """The keys that hold the columns by which rows are spread."""
    return [key for key in keys if set(columns) <= set(key)]


def _ranked(node: logical.Rank) -> list[Key]:
    if node.function != "ROW_NUMBER":
        return []
    if node.start == node.end:
        return [node.partition]
    return [] if node.column is None else [(*node.partition, node.column)]


def _joined(node: logical.Join) -> list[Key]:
    """The keys of a side whose rows meet one row at most, else those of both together."""
    equal = _equal(node.condition)
    left, right = (
        _spread(unique_keys(side), equal & set(side.schema.names))
        for side in (node.left, node.right)
    )
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return [*left]
    if node.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return []
    found = [*left] if any(set(key) <= equal for key in right) else []
    if node.kind is JoinKind.INNER:
        found += right if any(set(key) <= equal for key in left) else []
        found = found or [(*one, *other) for one in left for other in right]
    return found


def _equal(condition: Expression | None) -> set[str]:
    """Columns that the condition wants to be equal to another one."""
    found: set[str] = set()
    for part in parts_of(condition) if condition is not None else ():
        match part:
            case Call(function="=", args=(Column(name=one), Column(name=other))):
                found |= {one, other}
    return found


def _renamed(keys: Iterable[Key], columns: tuple[Named, ...]) -> list[Key]:
    names = {
        column.expression.name: column.name
        for column in columns
        if isinstance(column.expression, Column)
    }
    return [tuple(names[name] for name in key) for key in keys if set(key) <= set(names)]


def _first_of(node: Logical, part: Expression) -> list[Key]:
    """What a ROW_NUMBER that ``part`` limits to 1 is partitioned by."""
    match part:
        case Call(function="=" | "<=", args=(Column(name=name), value)) if _is_one(value):
            return _partition(node, name)
        case Call(function="=" | ">=", args=(value, Column(name=name))) if _is_one(value):
            return _partition(node, name)
    return []


def _partition(node: Logical, name: str) -> list[Key]:
    match node:
        case logical.Over(calls=calls):
            own = [c for c in calls if c.call.name == name and c.call.function == "ROW_NUMBER"]
            return [c.partition for c in own]
        case logical.Project(input=below, columns=columns):
            found = next(c.expression for c in columns if c.name == name)
            if not isinstance(found, Column):
                return []
            return _renamed(_partition(below, found.name), columns)
        case logical.Filter(input=below):
            return _partition(below, name)
    return []


def _is_one(value: Expression) -> bool:
    if isinstance(value, Call) and value.function == "CAST":
        return _is_one(value.args[0])
    return isinstance(value, Literal) and value.value == 1
