"""What ``explain`` shows: logical plan, physical plan with change kinds, and state tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from sameriver.common.schema import Schema
from sameriver.common.state import RowScope, StateColumn, StateTable
from sameriver.common.time import duration_text, ttl_text
from sameriver.plan import logical
from sameriver.plan.describe import describe, kinds, line
from sameriver.plan.expressions import aggregate_to_sql, to_sql
from sameriver.plan.logical import Logical
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.window import Window

Json = dict[str, object]


def explain_text(queries: Sequence[Logical], roots: Sequence[PhysicalNode]) -> str:
    """Both plans as indented trees; a stateful node is followed by the tables it keeps.

    Args:
        queries: as bound.
        roots: their physical plans, as ``plan_job`` gives them.
    """
    lines = ["== Logical Plan =="]
    for query in queries:
        lines += [*_logical_lines(query), ""]
    lines.append("== Physical Plan ==")
    for root in roots:
        lines += [*_physical_lines(root), ""]
    return "\n".join(lines).rstrip() + "\n"


def physical_text(roots: Sequence[PhysicalNode]) -> str:
    """The physical plan alone, without state."""
    return "\n".join(text for root in roots for text in _bare_lines(root))


def state_text(roots: Sequence[PhysicalNode]) -> str:
    """The state tables alone, under the name of the node that keeps them."""
    lines: list[str] = []
    for node in dict.fromkeys(node for root in roots for node in _inputs_first(root)):
        tables = [text for table in node.state() for text in _table_lines(table)]
        if tables:
            lines += [type(node).__name__, *(f"  {text}" for text in tables)]
    return "\n".join(lines)


def explain_json(queries: Sequence[Logical], roots: Sequence[PhysicalNode]) -> Json:
    """The same as data.

    Returns:
        ``logical``: one tree a query, nodes of ``{node, details, schema, inputs}``.
        ``physical``: ``nodes``, each once however often it is used, inputs first, as ``{id, node,
        details, schema, changelog, inputs, state}`` where ``inputs`` are ids, ``changelog`` lists
        I, UB, UA, D, ``schema`` lists ``{name, type}`` and ``state`` lists tables ``{name, key,
        values, scope, ttl}`` whose columns are ``{name, type, meaning, role}`` and whose ``ttl``
        is in ms or null; and ``roots``, the ids of the queries' roots.
    """
    ids: dict[PhysicalNode, int] = {}
    for root in roots:
        for node in _inputs_first(root):
            ids.setdefault(node, len(ids))
    return {
        "logical": [_logical_json(query) for query in queries],
        "physical": {
            "nodes": [_physical_json(node, ids) for node in ids],
            "roots": [ids[root] for root in roots],
        },
    }


def _tree(head: str, extra: Sequence[str], below: Sequence[list[str]]) -> list[str]:
    """A node's line, lines about it, then the trees below it, as Flink draws them."""
    lines = [head, *(f"{'|' if below else ' '}  {text}" for text in extra)]
    for place, tree in enumerate(below):
        last = place == len(below) - 1
        lines.append(("+- " if last else ":- ") + tree[0])
        lines += [("   " if last else ":  ") + text for text in tree[1:]]
    return lines


def _logical_lines(node: Logical) -> list[str]:
    head = line(type(node).__name__, _details(node))
    return _tree(head, (), [_logical_lines(below) for below in logical.inputs(node)])


def _bare_lines(node: PhysicalNode) -> list[str]:
    return _tree(_head(node), (), [_bare_lines(below) for below in node.inputs])


def _head(node: PhysicalNode) -> str:
    return f"{describe(node)[:-1]}, changelogMode=[{','.join(kinds(node.changelog))}])"


def _physical_lines(node: PhysicalNode) -> list[str]:
    head = _head(node)
    extra = [text for table in node.state() for text in _table_lines(table)]
    return _tree(head, extra, [_physical_lines(below) for below in node.inputs])


def _table_lines(table: StateTable) -> Iterator[str]:
    yield f"state '{table.name}', ttl {ttl_text(table.ttl)}"
    rows = [
        (c.role.value, c.name, str(c.type), str(c.meaning)) for c in (*table.key, *table.values)
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(3)] if rows else []
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=False))
        yield f"  {'  '.join(cells)}  {row[3]}"
    yield f"  rows of {_scope_text(table.scope)}"


def _scope_text(scope: RowScope) -> str:
    text = ", ".join(scope.sources)
    if scope.filters:
        text += " where " + " and ".join(scope.filters)
    return text + "".join(f" > {step}" for step in scope.path)


def _details(node: Logical) -> tuple[tuple[str, str], ...]:
    match node:
        case logical.Scan(table=table, options=options):
            hints = (("options", ", ".join(f"{k}={v}" for k, v in options)),) if options else ()
            return (("table", table.name), ("fields", ", ".join(node.schema.names)), *hints)
        case logical.Values(rows=rows):
            texts = (f"({', '.join(to_sql(value) for value in row)})" for row in rows)
            return (("tuples", ", ".join(texts)),)
        case logical.Project(columns=columns):
            pairs = ((to_sql(c.expression), c.name) for c in columns)
            texts = (text if text == name else f"{text} AS {name}" for text, name in pairs)
            return (("select", ", ".join(texts)),)
        case logical.Filter(condition=condition):
            return (("where", to_sql(condition)),)
        case logical.Aggregate():
            return _aggregate_details(node)
        case logical.WindowTable(window=window):
            return (("window", window_text(window)),)
        case logical.GroupWindow(window=window, keys=keys, calls=calls):
            shown = ", ".join(f"{aggregate_to_sql(call)} AS {call.name}" for call in calls)
            properties = ", ".join(f"{p.value} AS {name}" for name, p in node.properties)
            return (
                ("groupBy", ", ".join(keys)),
                ("window", window_text(window)),
                ("properties", properties),
                ("select", shown),
            )
        case logical.Union():
            return (("all", "true"), ("union", ", ".join(node.schema.names)))
        case logical.SetOperation(kind=kind, all=every):
            return (("operation", f"{kind} ALL" if every else kind),)
        case logical.Correlate(function=function, args=args):
            call = f"{function.name}({', '.join(map(to_sql, args))})"
            return (("call", call), ("joinType", node.kind.value))
        case logical.Sort(keys=keys, limit=limit, offset=offset):
            order = ", ".join(
                f"{to_sql(key.expression)} {'DESC' if key.descending else 'ASC'}" for key in keys
            )
            return (("orderBy", order), ("limit", str(limit)), ("offset", str(offset)))
        case logical.Insert(table=table):
            return (("table", table.name), ("fields", ", ".join(node.schema.names)))
        case _:
            return (("fields", ", ".join(node.schema.names)),)


def _aggregate_details(node: logical.Aggregate) -> tuple[tuple[str, str], ...]:
    details = [("groupBy", ", ".join(node.keys))]
    if node.sets is not None:
        details.append(("sets", ", ".join(f"({', '.join(kept)})" for kept in node.sets)))
    if node.calls:
        shown = (f"{aggregate_to_sql(call)} AS {call.name}" for call in node.calls)
        details.append(("select", ", ".join(shown)))
    if node.ttl_hint is not None:
        details.append(("stateTtl", node.ttl_hint))
    return tuple(details)


def window_text(window: Window) -> str:
    """``CUMULATE(ts, size 1 h, step 1 min)``."""
    parts = [window.time, f"size {duration_text(window.size)}"]
    if window.step is not None:
        parts.append(f"step {duration_text(window.step)}")
    if window.offset:
        parts.append(f"offset {duration_text(window.offset)}")
    if window.partition:
        parts.append(f"partition {', '.join(window.partition)}")
    return f"{window.kind.value}({', '.join(parts)})"


def _inputs_first(node: PhysicalNode) -> Iterator[PhysicalNode]:
    for below in node.inputs:
        yield from _inputs_first(below)
    yield node


def _logical_json(node: Logical) -> Json:
    return {
        "node": type(node).__name__,
        "details": dict(_details(node)),
        "schema": _schema_json(node.schema),
        "inputs": [_logical_json(below) for below in logical.inputs(node)],
    }


def _physical_json(node: PhysicalNode, ids: dict[PhysicalNode, int]) -> Json:
    return {
        "id": ids[node],
        "node": type(node).__name__,
        "details": dict(node.details()),
        "schema": _schema_json(node.schema),
        "changelog": kinds(node.changelog),
        "inputs": [ids[below] for below in node.inputs],
        "state": [_table_json(table) for table in node.state()],
    }


def _schema_json(schema: Schema) -> list[Json]:
    return [{"name": f.name, "type": str(f.type)} for f in schema]


def _table_json(table: StateTable) -> Json:
    scope = table.scope
    return {
        "name": table.name,
        "key": [_column_json(column) for column in table.key],
        "values": [_column_json(column) for column in table.values],
        "scope": {
            "sources": list(scope.sources),
            "filters": list(scope.filters),
            "path": list(scope.path),
        },
        "ttl": None if table.ttl is None else table.ttl // timedelta(milliseconds=1),
    }


def _column_json(column: StateColumn) -> Json:
    return {
        "name": column.name,
        "type": str(column.type),
        "meaning": column.meaning,
        "role": column.role.value,
    }
