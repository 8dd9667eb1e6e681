"""Columns that nobody reads go, down to the scans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sameriver.common.schema import Field, Schema
from sameriver.common.types import CHARACTERS, NUMERIC, TimeAttribute
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, columns
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import pass_through, with_inputs

Names = frozenset[str]


def prune_columns(node: Logical) -> Logical:
    """The same rows and columns, from as few columns below as will do."""
    return _exactly(node, node.schema.names)


def _exactly(node: Logical, names: Iterable[str]) -> Logical:
    """``node`` with these columns, in this order."""
    schema = node.schema.select(names)
    pruned = _prune(node, frozenset(schema.names))
    if pruned.schema.names == schema.names:
        return pruned
    return logical.Project(input=pruned, columns=pass_through(schema))


def _prune(node: Logical, needed: Names) -> Logical:
    """``node`` with the needed columns, in their old order; others may stay among them."""
    match node:
        case logical.Scan():
            return replace(node, schema=Schema(_kept(node.schema, needed)))
        case logical.Values():
            return _values(node, needed)
        case logical.Project():
            kept = tuple(c for c in node.columns if c.name in needed) or node.columns[:1]
            read = frozenset[str]().union(*(columns(c.expression) for c in kept))
            return logical.Project(input=_prune(node.input, read), columns=kept)
        case logical.Filter():
            return _filter(node, needed)
        case logical.Aggregate():
            return _aggregate(node, needed)
        case logical.GroupWindow():
            return _group_window(node, needed)
        case logical.WindowTable():
            return _window_table(node, needed)
        case logical.Union():
            return _union(node, needed)
        case logical.Join():
            return _join(node, needed)
        case logical.TemporalJoin():
            return _temporal_join(node, needed)
        case logical.Over():
            return _over(node, needed)
        case logical.Rank():
            return _rank(node, needed)
        case logical.Correlate():
            return _correlate(node, needed)
        case logical.Sort():
            read = needed.union(*(columns(key.expression) for key in node.keys))
            return replace(node, input=_prune(node.input, read))
        case logical.MatchRecognize():
            return replace(node, input=_exactly(node.input, _in_order(node.input, node.reads())))
        case logical.Insert():
            return replace(node, input=prune_columns(node.input))
        case _:
            return with_inputs(node, [prune_columns(below) for below in logical.inputs(node)])


def _in_order(node: Logical, names: Names) -> list[str]:
    return [f.name for f in node.schema if f.name in names]


def _kept(schema: Schema, needed: Names) -> tuple[Field, ...]:
    """The needed fields; if there are none the cheapest, since rows need a column to exist."""
    kept = tuple(f for f in schema if f.name in needed)
    return kept or (min(schema.fields, key=_cost),)


def _cost(field: Field) -> int:
    root = field.type.root
    if field.type.attribute is not None or field.type.children:
        return 3
    return 0 if root in NUMERIC else 1 + (root in CHARACTERS)


def _values(node: logical.Values, needed: Names) -> Logical:
    kept = _kept(node.schema, needed)
    places = [i for i, f in enumerate(node.schema) if f in kept]
    rows = tuple(tuple(row[i] for i in places) for row in node.rows)
    return replace(node, rows=rows, schema=Schema(kept))


def _filter(node: logical.Filter, needed: Names) -> Logical:
    below = _prune(node.input, needed | columns(node.condition))
    pruned = logical.Filter(input=below, condition=node.condition)
    kept = _kept(below.schema, needed)
    if len(kept) == len(below.schema):
        return pruned
    return logical.Project(input=pruned, columns=pass_through(kept))


def _reads(calls: tuple[AggregateCall, ...]) -> Names:
    expressions = [e for call in calls for e in (*call.args, call.filter) if e is not None]
    return frozenset[str]().union(*(columns(e) for e in expressions))


def _aggregate(node: logical.Aggregate, needed: Names) -> Logical:
    calls = tuple(call for call in node.calls if call.name in needed)
    if not node.keys and not calls:
        calls = node.calls[:1]
    gone = {call.name for call in node.calls} - {call.name for call in calls}
    schema = Schema(tuple(f for f in node.schema if f.name not in gone))
    below = _prune(node.input, frozenset(node.keys) | _reads(calls))
    return replace(node, input=below, calls=calls, schema=schema)


def _group_window(node: logical.GroupWindow, needed: Names) -> Logical:
    calls = tuple(call for call in node.calls if call.name in needed)
    properties = tuple(p for p in node.properties if p[0] in needed)
    if not node.keys and not calls and not properties:
        properties = node.properties[:1]
        calls = () if properties else node.calls[:1]
    kept = {*node.keys, *(call.name for call in calls), *(name for name, _ in properties)}
    schema = Schema(tuple(f for f in node.schema if f.name in kept))
    below = _prune(node.input, frozenset({*node.keys, node.window.time}) | _reads(calls))
    return replace(node, input=below, calls=calls, properties=properties, schema=schema)


def _window_table(node: logical.WindowTable, needed: Names) -> Logical:
    own = node.schema.fields[-3:]
    read = needed - {f.name for f in own} | {node.window.time, *node.window.partition}
    below = _prune(node.input, frozenset(read))
    return replace(node, input=below, schema=Schema((*below.schema.fields, *own)))


def _join(node: logical.Join, needed: Names) -> Logical:
    """Rows of both sides are stored, so not a column too many."""
    read = frozenset[str]() if node.condition is None else columns(node.condition)
    sides = []
    for side in (node.left, node.right):
        kept = _kept(side.schema, needed | read)
        sides.append(_exactly(side, [f.name for f in kept]))
    names = {name for side in sides for name in side.schema.names}
    schema = Schema(tuple(f for f in node.schema if f.name in names))
    return replace(node, left=sides[0], right=sides[1], schema=schema)


def _temporal_join(node: logical.TemporalJoin, needed: Names) -> Logical:
    read = needed | columns(node.condition)
    if not node.processing:
        read |= {name for name in (node.time, node.right_time) if name is not None}
    sides = []
    for side in (node.left, node.right):
        kept = _kept(side.schema, read)
        sides.append(_exactly(side, [f.name for f in kept]))
    names = {name for side in sides for name in side.schema.names}
    schema = Schema(tuple(f for f in node.schema if f.name in names))
    return replace(node, left=sides[0], right=sides[1], schema=schema)


def _union(node: logical.Union, needed: Names) -> Logical:
    kept = _kept(node.schema, needed)
    places = [i for i, f in enumerate(node.schema) if f in kept]
    branches = tuple(_exactly(b, [b.schema.names[i] for i in places]) for b in node.inputs)
    return replace(node, inputs=branches, schema=Schema(kept))


def _over(node: logical.Over, needed: Names) -> Logical:
    calls = tuple(over for over in node.calls if over.call.name in needed)
    if not calls:
        return _prune(node.input, needed)
    orders = (key.expression for over in calls for key in over.order)
    keys = (name for over in calls for name in over.partition)
    reads = _reads(tuple(over.call for over in calls)).union(keys, *map(columns, orders))
    names = {over.call.name for over in node.calls}
    below = _prune(node.input, (needed - names) | reads)
    results = tuple(Field(over.call.name, over.call.type) for over in calls)
    return replace(node, input=below, calls=calls, schema=Schema((*below.schema.fields, *results)))


def _rank(node: logical.Rank, needed: Names) -> Logical:
    """Without its rank if nobody reads that; rows are stored, so not a column too many."""
    column = node.column if node.column in needed else None
    keys = frozenset(name for key in node.order for name in columns(key.expression))
    kept = _kept(node.input.schema, needed.union(node.partition, keys - _by_arrival(node)))
    names = {f.name for f in kept}
    below = _exactly(node.input, [f.name for f in node.input.schema if f.name in names | keys])
    schema = Schema(tuple(f for f in node.schema if f.name in names or f.name == column))
    return replace(node, input=below, column=column, schema=schema)


def _by_arrival(node: logical.Rank) -> Names:
    """The processing time that alone orders rows: it need not be stored to find the first."""
    attributes = [key.expression.type.attribute for key in node.order]
    if attributes != [TimeAttribute.PROCTIME] or (node.start, node.end) != (1, 1):
        return frozenset()
    return columns(node.order[0].expression) if node.function == "ROW_NUMBER" else frozenset()


def _correlate(node: logical.Correlate, needed: Names) -> Logical:
    own = node.schema.fields[len(node.input.schema) :]
    read = (needed - {f.name for f in own}).union(*(columns(arg) for arg in node.args))
    below = _prune(node.input, read)
    return replace(node, input=below, schema=Schema((*below.schema.fields, *own)))
