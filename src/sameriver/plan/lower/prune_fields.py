"""Fields of ROWs that nobody reads are not read from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, cast

from sameriver.common.schema import Field, Schema
from sameriver.common.types import DataType, Root
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named, transform
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.table import Table

Path = tuple[str, ...]
"""A column, or a field of it, or a field of that."""
Paths = frozenset[Path]


def prune_fields(roots: tuple[Sink, ...], nested: Callable[[Table], bool]) -> tuple[Sink, ...]:
    """The same plan; scans of tables of which ``nested`` says so read fewer fields.

    Only types change, between a scan and what picks fields out of its rows. A table is read once
    for all queries, so the scan reads what any of them needs.
    """
    needed: dict[Scan, Paths] = {}
    for root in roots:
        for scan, paths in _reads(root, _whole(root)):
            needed[scan] = needed.get(scan, frozenset()) | paths
    pruned = {scan: _pruned(scan, needed[scan]) for scan in needed if nested(scan.table)}
    changed = {scan: now for scan, now in pruned.items() if now != scan}
    return tuple(cast(Sink, _over(root, changed)) for root in roots) if changed else roots


def _whole(node: PhysicalNode) -> Paths:
    return frozenset((name,) for name in node.schema.names)


def _reads(node: PhysicalNode, needed: Paths) -> Iterator[tuple[Scan, Paths]]:
    """What is read of each scan if ``needed`` is of the node; a scan may come several times."""
    match node:
        case Scan():
            yield node, needed
        case Calc(input=below, columns=named, condition=condition):
            tested = frozenset() if condition is None else _paths(condition)
            yield from _reads(below, _below(named, needed) | tested)
        case WatermarkAssigner(input=below, column=column, expression=expression):
            timed = frozenset() if expression is None else _paths(expression)
            yield from _reads(below, needed | timed | {(column,)})
        case _:
            for below in node.inputs:
                yield from _reads(below, _whole(below))


def _below(named: Iterable[Named], needed: Paths) -> Paths:
    """What a projection reads: of a column that it hands on only what is needed above."""
    above = frozenset[Path]()
    for column in named:
        if isinstance(column.expression, Column):
            name = column.expression.name
            above |= {(name, *path[1:]) for path in needed if path[0] == column.name}
        else:
            above |= _paths(column.expression)
    return above


def _paths(expression: Expression) -> Paths:
    path = _path(expression)
    if path is not None:
        return frozenset({path})
    args = expression.args if isinstance(expression, Call) else ()
    return frozenset[Path]().union(*map(_paths, args))


def _path(expression: Expression) -> Path | None:
    match expression:
        case Column(name=name):
            return (name,)
        case Call(function="FIELD", args=(row, Literal(value=field))):
            above = _path(row)
            return None if above is None else (*above, str(field))
    return None


def _pruned(scan: Scan, needed: Paths) -> Scan:
    kept = (Field(f.name, _fewer(f.type, _within(needed, f.name))) for f in scan.schema)
    return replace(scan, schema=Schema(tuple(kept)))


def _within(paths: Paths, name: str) -> Paths:
    return frozenset(path[1:] for path in paths if path[0] == name)


def _fewer(type: DataType, needed: Paths) -> DataType:
    """The type with the needed fields only; all of it if it is needed as a whole, or not at all."""
    if type.root is not Root.ROW or () in needed or not needed:
        return type
    names = {path[0] for path in needed}
    pairs = zip(type.names, type.children, strict=True)
    kept = [(name, _fewer(child, _within(needed, name))) for name, child in pairs if name in names]
    return replace(
        type, names=tuple(name for name, _ in kept), children=tuple(child for _, child in kept)
    )


def _over(node: PhysicalNode, scans: Mapping[Scan, Scan]) -> PhysicalNode:
    """The node over other scans."""
    if isinstance(node, Scan):
        return scans.get(node, node)
    changed: dict[str, Any] = {}
    for field in fields(node):
        held = getattr(node, field.name)
        if isinstance(held, PhysicalNode):
            changed[field.name] = _over(held, scans)
        elif field.name == "branches":
            changed[field.name] = tuple(_over(branch, scans) for branch in held)
    made = replace(node, **changed)
    if isinstance(made, WatermarkAssigner):
        return replace(made, schema=made.input.schema)
    return _retyped(made) if isinstance(made, Calc) else made


def _retyped(calc: Calc) -> Calc:
    """The projection with the types that its input has now."""

    def change(expression: Expression) -> Expression | None:
        if not isinstance(expression, Column):
            return None
        return replace(expression, type=calc.input.schema[expression.name])

    named = tuple(Named(c.name, transform(c.expression, change)) for c in calc.columns)
    condition = None if calc.condition is None else transform(calc.condition, change)
    handed = {c.name: c.expression.type for c in named if isinstance(c.expression, Column)}
    schema = Schema.of((f.name, handed.get(f.name, f.type)) for f in calc.schema)
    return replace(calc, columns=named, condition=condition, schema=schema)
