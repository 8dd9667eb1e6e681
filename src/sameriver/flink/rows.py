"""What the rows that flow between the nodes of a plan are, written over source columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning
from sameriver.flink.compiled import Node, columns_of
from sameriver.flink.parts import Part, Reading, group_window, table_name, window
from sameriver.flink.spelling import Inputs, aggregate, conjuncts, spell
from sameriver.plan.meaning import call_meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What a node gives.

    Attributes:
        columns: the meaning of each.
        origin: the sources, joins, groups and ranks that rows went through; no filters.
        filters: the conditions that they have met, sorted.
        sources: the tables that they were read from, sorted.
        before: columns below the local half of an aggregation in two phases.
        branches: origin and columns of each branch, if they are a UNION ALL.
    """

    columns: tuple[Meaning, ...]
    origin: Meaning
    filters: tuple[Meaning, ...] = ()
    sources: tuple[str, ...] = ()
    before: tuple[Meaning, ...] = ()
    branches: tuple[tuple[Meaning, tuple[Meaning, ...]], ...] = ()


_PASSING = ("exchange", "watermark-assigner", "mini-batch-assigner", "drop-update-before")
_CALCS = ("calc", "python-calc", "async-calc")
_STATELESS = (
    *_PASSING, *_CALCS, "values", "union", "expand", "correlate", "python-correlate",
    "local-group-aggregate", "local-window-aggregate",
)  # fmt: skip
_ROWS_ONLY = (
    "aggregate", "stored column", "kind of changes", "option", "strategy", "row key",
    "upsert key of the left side", "upsert key of the right side",
)  # fmt: skip
"""Parts that don't decide which rows come out."""


def is_stateful(node: Node) -> bool:
    """Whether a node, a source or a sink has something that a savepoint may hold."""
    if node.type == "lookup-join":
        return "state" in node.data or node.data.get("asyncLookupOptions") is not None
    if node.type == "window-table-function":
        return bool(node.data["windowing"]["window"]["type"] == "SessionWindow")
    if node.type == "temporal-sort":
        return not _passes_as_it_comes(node)
    return node.type not in _STATELESS


def _passes_as_it_comes(node: Node) -> bool:
    """ORDER BY processing time alone is the order of arrival: Flink runs nothing for it."""
    fields = node.data["orderBy"]["fields"]
    return len(fields) == 1 and '"PROCTIME"' in node.columns[fields[0]["index"]].type


def told_apart(node: Node, below: Sequence[Rows]) -> Sequence[Rows]:
    """What the inputs of a node give; if they share a table, it can be told which says what."""
    tables = [set(one.sources) for one in below]
    if len(set().union(*tables)) == sum(map(len, tables)):
        return below
    if node.type == "union":
        each = sorted(call_meaning("AND", list(one.filters)) for one in below)
        both = Meaning(f"EITHER({', '.join(each)})")
        apart = (both,) if any(one.filters for one in below) else ()
        return [replace(one, filters=apart) for one in below]
    first, *others = below
    return [first, *(_marked(one, "right" * place) for place, one in enumerate(others, 1))]


def _marked(rows: Rows, mark: str) -> Rows:
    columns = tuple(Meaning(f"{mark}({column})") for column in rows.columns)
    filters = tuple(Meaning(f"{mark}({found})") for found in rows.filters)
    return replace(rows, columns=columns, filters=filters)


def reading(node: Node, inputs: Sequence[Node], below: Sequence[Rows]) -> Reading:
    """A node together with what it reads."""
    columns = [one.columns for one in below]
    names = tuple(column.name for one in inputs for column in one.columns)
    types = tuple(column.type for one in inputs for column in one.columns)
    every = Inputs(tuple(column for one in columns for column in one), names, node.zone)
    left = len(columns[0]) if columns else 0
    row = node.data.get("localAggInputRowType") or node.data.get("partialLocalAggInputRowType")
    if row is None:
        return Reading(node, every, types, left, every, types)
    before_types = tuple(column.type for column in columns_of(row))
    return Reading(node, every, types, left, Inputs(below[0].before), before_types)


def rows_of(read: Reading, below: Sequence[Rows], parts: Sequence[Part]) -> Rows:
    """What a node gives, over what its inputs give."""
    node, data, inputs = read.node, read.node.data, read.inputs
    together = _together(below)
    match node.type:
        case "table-source-scan":
            return _source(node)
        case "values":
            text = Meaning(f"VALUES {spell(data['tuples'], inputs)}")
            return Rows(columns=_numbered(node, text), origin=text)
        case "union":
            return _united(together, below)
        case "expand":
            sets = [[spell(one, inputs) for one in project] for project in data["projects"]]
            columns = (f"EXPAND({', '.join(one)})" for one in zip(*sets, strict=True))
            origin = Meaning(f"EXPAND({len(sets)}) OF {together.origin}")
            return replace(together, columns=tuple(map(Meaning, columns)), origin=origin)
        case "correlate" | "python-correlate":
            return _correlated(read, together)
        case "local-group-aggregate" | "local-window-aggregate":
            return replace(together, columns=_local(read), before=read.before.columns)
        case "window-table-function":
            made = window(data["windowing"], read)
            columns_ = inputs.columns + _window_columns(node, made, len(inputs.columns))
            return replace(together, columns=columns_, origin=Meaning(f"{made} {together.origin}"))
    if node.type in (*_PASSING, "temporal-sort"):
        return replace(together, columns=inputs.columns)
    if node.type in _CALCS:
        found = conjuncts(data["condition"], inputs)
        columns_ = tuple(spell(one, inputs) for one in data["projection"])
        return _filtered(replace(together, columns=columns_), found)
    return _stateful(read, together, parts)


def _together(below: Sequence[Rows]) -> Rows:
    """All inputs as one: their origins in an order that doesn't hang on how they were written."""
    origins = sorted(one.origin for one in below)
    origin = origins[0] if len(origins) == 1 else f"({'), ('.join(origins)})"
    return Rows(
        columns=(),
        origin=Meaning(origin),
        filters=tuple(sorted({found for one in below for found in one.filters})),
        sources=tuple(sorted({source for one in below for source in one.sources})),
        before=below[0].before if len(below) == 1 else (),
    )


def _filtered(rows: Rows, found: Sequence[Meaning]) -> Rows:
    return replace(rows, filters=tuple(sorted({*rows.filters, *found})), before=())


def _source(node: Node) -> Rows:
    """Columns by the table's name; what was pushed into it, as filters."""
    scan = node.data["scanTableSource"]
    table = table_name(scan["table"])
    schema = scan["table"].get("resolvedTable", {}).get("schema", {}).get("columns", ())
    names = [column.name for column in node.columns]
    filters: list[Meaning] = []
    for ability in scan.get("abilities") or ():
        if ability["type"] == "ProjectPushDown":
            for place, path in enumerate(ability["projectedFields"]):
                if len(path) > 1:
                    names[place] = f"{schema[path[0]]['name']}.{names[place]}"
        elif ability["type"] == "FilterPushDown":
            columns = Inputs(tuple(Meaning(f"{table}.{column['name']}") for column in schema))
            for predicate in ability["predicates"]:
                filters += conjuncts(predicate, columns)
        elif ability["type"] in ("PartitionPushDown", "LimitPushDown"):
            what = {key: value for key, value in ability.items() if key != "producedType"}
            filters.append(spell(what, Inputs(())))
    return Rows(
        columns=tuple(Meaning(f"{table}.{name}") for name in names),
        origin=Meaning(table),
        filters=tuple(sorted(filters)),
        sources=(table,),
    )


def _united(together: Rows, below: Sequence[Rows]) -> Rows:
    """A UNION ALL, whose branches may be one themselves: their order makes no difference."""
    branches = sorted(
        branch for one in below for branch in (one.branches or ((one.origin, one.columns),))
    )
    columns = tuple(
        Meaning(one[0] if len(set(one)) == 1 else f"UNION({', '.join(one)})")
        for one in zip(*(columns for _, columns in branches), strict=True)
    )
    origin = Meaning(f"({'), ('.join(origin for origin, _ in branches)})")
    return replace(together, columns=columns, origin=origin, before=(), branches=tuple(branches))


def _correlated(read: Reading, together: Rows) -> Rows:
    data, inputs = read.node.data, read.inputs
    call = spell(data["functionCall"], inputs)
    made = tuple(
        Meaning(f"{call}.{place}") for place in range(len(read.node.columns) - len(inputs.columns))
    )
    names = tuple(column.name for column in read.node.columns)
    found = conjuncts(data.get("condition"), Inputs(inputs.columns + made, names))
    origin = Meaning(f"{data['joinType']} {call} OF {together.origin}")
    return _filtered(replace(together, columns=inputs.columns + made, origin=origin), found)


def _local(read: Reading) -> tuple[Meaning, ...]:
    """Keys, accumulators, and the end of the slice that window aggregates add."""
    data = read.node.data
    keys = read.inputs.of(data["grouping"])
    calls = ", ".join(aggregate(call, read.inputs) for call in data["aggCalls"])
    width = len(read.node.columns) - len(keys)
    accumulators = [Meaning(f"ACCUMULATORS({calls}).{place}") for place in range(width)]
    if "windowing" in data:
        accumulators[-1] = window(data["windowing"], read)
    return (*keys, *accumulators)


def _window_columns(node: Node, made: Meaning, known: int) -> tuple[Meaning, ...]:
    return tuple(Meaning(f"{made}.{column.name}") for column in node.columns[known:])


def _numbered(node: Node, text: Meaning) -> tuple[Meaning, ...]:
    return tuple(Meaning(f"{text}.{place}") for place in range(len(node.columns)))


def _stateful(read: Reading, together: Rows, parts: Sequence[Part]) -> Rows:
    """Rows that a stateful node makes: what they are hangs on all that it does."""
    node = read.node
    logic = "; ".join(
        f"{part.noun} {', '.join(item.meaning for item in part.items)}"
        for part in parts
        if part.noun not in _ROWS_ONLY
    )
    origin = Meaning(f"{node.kind.removeprefix('Global')}({logic}) OF {together.origin}")
    columns = tuple(islice(_columns(read, origin, parts), len(node.columns)))
    rows = replace(together, columns=columns, before=())
    if node.type == "over-aggregate":
        return rows
    if node.type == "incremental-group-aggregate":
        return replace(rows, before=_partial_results(read))
    return replace(rows, origin=origin)


def _columns(read: Reading, origin: Meaning, parts: Sequence[Part]) -> Iterator[Meaning]:
    """Columns of what a node makes; those that nothing is known of go by their place."""
    data, inputs = read.node.data, read.inputs
    match read.node.type:
        case (
            "group-aggregate" | "global-group-aggregate" | "window-aggregate"
            | "global-window-aggregate" | "group-window-aggregate"
        ):  # fmt: skip
            yield from inputs.of(data["grouping"])
            yield from (aggregate(call, read.before) for call in data["aggCalls"])
            yield from _properties(read)
        case "over-aggregate":
            yield from inputs.columns
            yield from _over(parts)
        case "incremental-group-aggregate":
            yield from inputs.of(data["finalAggGrouping"])
        case "match" | "process-table-function" | "lookup-join":
            pass
        case _:
            yield from inputs.columns
    for place in range(len(read.node.columns)):
        yield Meaning(f"{origin}.{place}")


def _properties(read: Reading) -> Iterator[Meaning]:
    """``window_start`` and the like."""
    data = read.node.data
    if "windowing" in data:
        made = window(data["windowing"], read)
    elif "window" in data:
        made = group_window(data["window"], read)
    for named in data.get("namedWindowProperties", ()):
        yield Meaning(f"{made}.{named['property']['kind']}")


def _over(parts: Sequence[Part]) -> Iterator[Meaning]:
    """Aggregates with the partition, order and frame that are said before them."""
    said: dict[str, str] = {}
    for part in parts:
        texts = [item.meaning for item in part.items]
        if part.noun == "aggregate":
            frame = "; ".join(f"{noun} {text}" for noun, text in said.items())
            yield from (Meaning(f"{text} OVER ({frame})") for text in texts)
        elif part.noun in ("partition key", "order", "frame"):
            said[part.noun] = ", ".join(texts)


def _partial_results(read: Reading) -> tuple[Meaning, ...]:
    """What the second half of a split aggregation takes for its input."""
    data = read.node.data
    keys = read.inputs.of(data["partialAggGrouping"])
    calls = (aggregate(call, read.before) for call in data["partialOriginalAggCalls"])
    return (*keys, *calls)
