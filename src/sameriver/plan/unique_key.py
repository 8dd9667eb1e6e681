"""Which columns tell the rows of a plan apart."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import parts_of


def unique_key(node: Logical) -> tuple[str, ...]:
    """Columns that no two rows share at a time: a primary key, what a deduplication partitions
    by, the keys of GROUP BY. A row is taken back before another of its key comes.

    Empty: none is known, or not all of its columns are there.
    """
    key = _key(node)
    return key if set(key) <= set(node.schema.names) else ()


def _key(node: Logical) -> tuple[str, ...]:
    match node:
        case logical.Scan(table=table):
            return table.primary_key
        case logical.Project(input=below, columns=columns):
            return _renamed(unique_key(below), columns)
        case logical.Filter(input=below, condition=condition):
            for part in parts_of(condition):
                partition = _first_of(below, part)
                if partition:
                    return partition
            return unique_key(below)
        case logical.Aggregate(keys=keys, sets=None):
            return keys
        case logical.Rank():
            return _ranked(node)
        case logical.Join():
            return _joined(node)
        case logical.TemporalJoin(left=left, processing=False):
            return unique_key(left)
        case logical.Sort(input=below) | logical.Over(input=below):
            return unique_key(below)
    return ()


def _ranked(node: logical.Rank) -> tuple[str, ...]:
    if node.function == "ROW_NUMBER" and node.start == node.end:
        return node.partition
    if node.function == "ROW_NUMBER" and node.column is not None:
        return (*node.partition, node.column)
    return unique_key(node.input)


def _joined(node: logical.Join) -> tuple[str, ...]:
    """The key of the left side where a row of it meets one row at most."""
    left, right = unique_key(node.left), unique_key(node.right)
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    if node.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return ()
    equal = _equal(node.condition)
    if right and set(right) <= equal:
        return left
    if node.kind is JoinKind.LEFT:
        return ()
    if left and set(left) <= equal:
        return right
    return (*left, *right) if left and right else ()


def _equal(condition: Expression | None) -> set[str]:
    """Columns that the condition wants to be equal to another one."""
    found: set[str] = set()
    for part in parts_of(condition) if condition is not None else ():
        match part:
            case Call(function="=", args=(Column(name=one), Column(name=other))):
                found |= {one, other}
    return found


def _renamed(key: tuple[str, ...], columns: tuple[Named, ...]) -> tuple[str, ...]:
    names = {
        column.expression.name: column.name
        for column in columns
        if isinstance(column.expression, Column)
    }
    return tuple(names[name] for name in key) if set(key) <= set(names) else ()


def _first_of(node: Logical, part: Expression) -> tuple[str, ...]:
    """What a ROW_NUMBER that ``part`` limits to 1 is partitioned by."""
    match part:
        case Call(function="=" | "<=", args=(Column(name=name), value)) if _is_one(value):
            return _partition(node, name)
        case Call(function="=" | ">=", args=(value, Column(name=name))) if _is_one(value):
            return _partition(node, name)
    return ()


def _partition(node: Logical, name: str) -> tuple[str, ...]:
    match node:
        case logical.Over(calls=calls):
            own = [c for c in calls if c.call.name == name and c.call.function == "ROW_NUMBER"]
            return own[0].partition if own else ()
        case logical.Project(input=below, columns=columns):
            found = next(c.expression for c in columns if c.name == name)
            if not isinstance(found, Column):
                return ()
            return _renamed(_partition(below, found.name), columns)
        case logical.Filter(input=below):
            return _partition(below, name)
    return ()


def _is_one(value: Expression) -> bool:
    if isinstance(value, Call) and value.function == "CAST":
        return _is_one(value.args[0])
    return isinstance(value, Literal) and value.value == 1
