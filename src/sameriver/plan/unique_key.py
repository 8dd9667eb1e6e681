"""Which columns tell the rows of a plan apart."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import parts_of


def unique_key(node: Logical) -> tuple[str, ...]:
    """Columns that no two rows share at a time: a primary key, what a deduplication partitions
    by, the keys of GROUP BY. Empty: none is known."""
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
    return ()


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
