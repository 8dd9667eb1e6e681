"""What the state of a node of a plan hangs on, part by part, read from the node's JSON.

Fields that nothing here knows are spelled as they stand: a name may then change where it need not,
but never stay where it must change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning
from sameriver.flink.compiled import Data, Node, type_text
from sameriver.flink.spelling import Inputs, aggregate, conjuncts, spell
from sameriver.flink.wording import interval, worded


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that state hangs on, and the type under which it is held."""

    meaning: Meaning
    type: str = ""

    def __str__(self) -> str:
        return f"{self.meaning} {self.type}".rstrip()


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one sort, in the order that decides where each is found: keys, aggregates, ..."""

    noun: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A node with what the columns of its inputs mean.

    Attributes:
        inputs: columns of all inputs, one after the other; ``types`` are theirs.
        left: how many of them the first input has.
        before: columns below the local half of an aggregation in two phases.
        before_types: their types.
    """

    node: Node
    inputs: Inputs
    types: tuple[str, ...]
    left: int
    before: Inputs
    before_types: tuple[str, ...]

    def items(self, indices: Sequence[int]) -> tuple[Item, ...]:
        return tuple(Item(self.inputs.columns[at], self.types[at]) for at in indices)

    def side(self, right: bool) -> Reading:
        """What the left or the right half of a join reads."""
        half = slice(self.left, None) if right else slice(0, self.left)
        inputs = Inputs(self.inputs.columns[half], self.inputs.names[half], self.inputs.zone)
        return Reading(self.node, inputs, self.types[half], 0, inputs, self.types[half])


Reader = Callable[[Any, Reading], Iterator[Part]]

_SILENT = frozenset({
    "id", "type", "configuration", "inputProperties", "outputType", "description", "state",
    "generateUpdateBefore", "outputRowNumber", "namedWindowProperties", "aggCallNeedRetractions",
    "partialAggCallNeedRetractions", "localAggInputRowType", "partialLocalAggInputRowType",
})  # fmt: skip
"""Fields that no state hangs on, or that other fields are read with."""
_PLACES = (
    "path",
    "topic",
    "topic-pattern",
    "url",
    "hostname",
    "database-name",
    "table-name",
    "index",
)
"""Options of a table that say where its rows are: a position there is worth nothing elsewhere."""
_KEYED = frozenset({
    "group-aggregate", "global-group-aggregate", "incremental-group-aggregate",
    "window-aggregate", "global-window-aggregate", "group-window-aggregate",
})  # fmt: skip
"""Nodes that keep keys and accumulators, but no rows of their input."""


def parts_of(reading: Reading) -> tuple[Part, ...]:
    """All that the state of a node hangs on, but for the rows that reach it."""
    node = reading.node
    if node.type == "sink":
        return tuple(part for part in _sink(node, reading) if part.items)
    silent = _SILENT | {"outputInsertOnly"} if _keeps_first(node) else _SILENT
    parts = [
        part
        for key, value in node.data.items()
        if key not in silent and value is not None
        for part in _READERS.get(key, _as_it_stands(key))(value, reading)
    ]
    parts += _options(node)
    if node.type not in _KEYED and not _keeps_first(node):
        columns = reading.items(range(len(reading.inputs.columns)))
        parts.append(Part("stored column", columns))
    return tuple(part for part in parts if part.items)


def _keeps_first(node: Node) -> bool:
    """Whether it deduplicates by first arrival: then it only knows which keys were there."""
    data = node.data
    return node.type == "deduplicate" and not (data["isRowtime"] or data["keepLastRow"])


def _sink(node: Node, reading: Reading) -> Iterator[Part]:
    """A table that is written; if Flink keeps its rows in order by itself, those rows."""
    yield from _table(node.data["dynamicTableSink"], reading)
    if node.data.get("requireUpsertMaterialize"):
        table = node.data["dynamicTableSink"]["table"]["resolvedTable"]["schema"]
        keys = table.get("primaryKey", {}).get("columns", ())
        yield Part("primary key", tuple(Item(Meaning(key)) for key in keys))
        yield Part("upsert key", reading.items(node.data.get("inputUpsertKey", ())))
        columns = reading.items(range(len(reading.inputs.columns)))
        yield Part("stored column", columns)
        yield Part("conflict", (Item(spell(node.data.get("conflictStrategy"), reading.inputs)),))


def _table(value: Any, reading: Reading) -> Iterator[Part]:
    """What a table is known by: its path, its connector, and where that reads or writes."""
    table = value["table"]
    yield Part("table", (Item(Meaning(table_name(table))),))
    options = table.get("resolvedTable", {}).get("options", {})
    yield Part("connector", (Item(Meaning(options.get("connector", ""))),))
    places = tuple(Item(Meaning(f"{key}={options[key]}")) for key in _PLACES if key in options)
    yield Part("place", places)


def table_name(table: Data) -> str:
    """``t``; the path is whole where it isn't that of the default database."""
    identifier = str(table.get("identifier", "anonymous")).replace("`", "")
    return identifier.removeprefix("default_catalog.default_database.")


def _options(node: Node) -> Iterator[Part]:
    """Options that decide when state is kept or let go, and which are not the default."""
    for key, value in sorted(node.data.get("configuration", {}).items()):
        if key.startswith("table.exec.emit."):
            yield Part("option", (Item(Meaning(f"{key} = {value}")),))
    sensitive = "table.exec.deduplicate.insert-update-after-sensitive-enabled"
    if node.data.get("configuration", {}).get(sensitive) == "false":
        yield Part("option", (Item(Meaning(f"{sensitive} = false")),))


def _as_it_stands(key: str) -> Reader:
    def read(value: Any, reading: Reading) -> Iterator[Part]:
        yield Part(key, (Item(spell(value, reading.inputs)),))

    return read


def _columns(noun: str) -> Reader:
    """Of a list of columns, whether or not it is wrapped in an object."""

    def read(value: Any, reading: Reading) -> Iterator[Part]:
        indices = value["fields"] if isinstance(value, dict) else value
        indices = [indices] if isinstance(indices, int) else indices
        yield Part(noun, reading.items(indices))

    return read


def _order(value: Any, reading: Reading) -> Iterator[Part]:
    def item(field: Data) -> Item:
        (column,) = reading.items([field["index"]])
        direction = "ASC" if field["isAscending"] else "DESC"
        nulls = "LAST" if field["nullIsLast"] else "FIRST"
        return Item(Meaning(f"{column.meaning} {direction} NULLS {nulls}"), column.type)

    yield Part("order", tuple(item(field) for field in value["fields"]))


def _aggregates(value: Any, reading: Reading) -> Iterator[Part]:
    """Aggregates with the types they take and give; of two phases, over what the first read."""
    data = reading.node.data
    retracted = data.get("aggCallNeedRetractions") or data.get("partialAggCallNeedRetractions")
    retracted = retracted or [False] * len(value)
    taken_back = [" taken back" if one else "" for one in retracted]
    yield Part(
        "aggregate",
        tuple(
            Item(
                aggregate(call, reading.before),
                f"({', '.join(reading.before_types[at] for at in call['argList'])})"
                f" -> {type_text(call['type'])}{back}",
            )
            for call, back in zip(value, taken_back, strict=True)
        ),
    )


def _retraction(value: Any, reading: Reading) -> Iterator[Part]:
    text = "insertions and deletions" if value else "insertions only"
    yield Part("kind of changes", (Item(Meaning(text)),))


def _join(value: Any, reading: Reading) -> Iterator[Part]:
    left, right = reading.side(False), reading.side(True)
    yield Part("kind", (Item(Meaning(value["joinType"])),))
    pairs = zip(
        left.items(value["leftKeys"]),
        right.items(value["rightKeys"]),
        value["filterNulls"],
        strict=True,
    )
    yield Part(
        "key",
        tuple(
            Item(Meaning(f"{one.meaning} {'=' if drops else 'IS NOT DISTINCT FROM'} {two.meaning}"))
            for one, two, drops in pairs
        ),
    )
    found = conjuncts(value["nonEquiCondition"], reading.inputs)
    yield Part("condition", tuple(Item(one) for one in found))


def _interval_join(value: Any, reading: Reading) -> Iterator[Part]:
    yield from _join(value["joinSpec"], reading)
    yield Part("interval", (Item(_interval(value["windowBounds"], reading)),))


def _interval(bounds: Data, reading: Reading) -> Meaning:
    """``t.ts BETWEEN u.ts - INTERVAL '1' MINUTE AND u.ts``."""
    left = reading.side(False).inputs.columns[bounds["leftTimeIndex"]]
    right = reading.side(True).inputs.columns[bounds["rightTimeIndex"]]
    ends = (
        f"{right} {'-' if bound < 0 else '+'} {interval(abs(bound))}" if bound else right
        for bound in (bounds["leftLowerBound"], bounds["leftUpperBound"])
    )
    kind = "" if bounds["isEventTime"] else "PROCESSING TIME "
    return Meaning(f"{kind}{left} BETWEEN {' AND '.join(ends)}")


def _upsert_keys(right: bool) -> Reader:
    noun = f"upsert key of the {'right' if right else 'left'} side"

    def read(value: Any, reading: Reading) -> Iterator[Part]:
        for key in value:
            yield Part(noun, reading.side(right).items(key) or (Item(Meaning("one row")),))

    return read


def _strategy(value: Any, reading: Reading) -> Iterator[Part]:
    yield Part("strategy", (Item(Meaning(value["type"])),))
    yield Part("row key", reading.items(value.get("primaryKeys", ())))


def _range(value: Any, reading: Reading) -> Iterator[Part]:
    ends = {key: part for key, part in value.items() if key != "type"}
    if "endIndex" in ends:
        (column,) = reading.items([ends["endIndex"]])
        yield Part("limit", (column,))
    else:
        yield Part("limit", (Item(Meaning(f"{ends['start']} to {ends['end']}")),))


def _over(value: Any, reading: Reading) -> Iterator[Part]:
    """Frames speak of constants as of columns behind those of the input."""
    yield from _columns("partition key")(value["partition"], reading)
    constants = tuple(spell(one, reading.inputs) for one in value["constants"])
    types = tuple(type_text(one["type"]) for one in value["constants"])
    inputs = Inputs(reading.inputs.columns + constants)
    within = Reading(
        reading.node, inputs, reading.types + types, reading.left, inputs, reading.types + types
    )
    for group in value["groups"]:
        yield from _order(group["orderBy"], within)
        ends = " AND ".join(_bound(group[key], inputs) for key in ("lowerBound", "upperBound"))
        kind = "ROWS" if group["isRows"] else "RANGE"
        yield Part("frame", (Item(Meaning(f"{kind} BETWEEN {ends}")),))
        yield from _aggregates(group["aggCalls"], within)


def _bound(bound: Data, inputs: Inputs) -> str:
    """``3 PRECEDING``."""
    if "offset" not in bound:
        return str(bound["kind"]).replace("_", " ")
    side = "PRECEDING" if bound["isPreceding"] else "FOLLOWING"
    return f"{worded(spell(bound['offset'], inputs))} {side}"


def _window(value: Any, reading: Reading) -> Iterator[Part]:
    yield Part("window", (Item(window(value, reading)),))


def _window_of(right: bool) -> Reader:
    def read(value: Any, reading: Reading) -> Iterator[Part]:
        yield from _window(value, reading.side(right))

    return read


def window(value: Data, reading: Reading) -> Meaning:
    """``TumblingWindow(t.ts, size=PT1M)``: of a time column, or known by a column that a window
    below has made.
    """
    for known in ("sliceEnd", "windowEnd"):
        if known in value:
            return reading.inputs.columns[value[known]]
    shape = dict(value["window"])
    keys = shape.pop("partition_key_indices", ())
    parts = [reading.inputs.columns[value["timeAttributeIndex"]]]
    parts += [Meaning(f"{key}={shape[key]}") for key in sorted(shape) if key != "type"]
    parts += [Meaning(f"PER {key}") for key in reading.inputs.of(keys)]
    parts += _zone(reading.node, value["timeAttributeType"])
    return Meaning(f"{shape['type']}({', '.join(parts)})")


def group_window(value: Data, reading: Reading) -> Meaning:
    """The same for windows in GROUP BY."""
    field = value["timeField"]
    shape = {key: part for key, part in value.items() if key not in ("alias", "timeField", "kind")}
    parts = [reading.inputs.columns[field["fieldIndex"]]]
    parts += [Meaning(f"{key}={spell(shape[key], reading.inputs)}") for key in sorted(shape)]
    parts += _zone(reading.node, field["fieldType"])
    return Meaning(f"{value['kind']}({', '.join(parts)})")


def _zone(node: Node, type: Any) -> list[Meaning]:
    """The session's zone, where windows depend on it."""
    if "LOCAL" not in type_text(type):
        return []
    return [Meaning(f"zone={node.zone}")]


def _group_window(value: Any, reading: Reading) -> Iterator[Part]:
    yield Part("window", (Item(group_window(value, reading)),))


_READERS: dict[str, Reader] = {
    "grouping": _columns("key"),
    "uniqueKeys": _columns("key"),
    "partition": _columns("partition key"),
    "partitionSpec": _columns("partition key"),
    "partitionKeys": _columns("partition key"),
    "partialAggGrouping": _columns("key"),
    "finalAggGrouping": _columns("final key"),
    "orderBy": _order,
    "sortSpec": _order,
    "orderKey": _columns("order"),
    "aggCalls": _aggregates,
    "partialOriginalAggCalls": _aggregates,
    "needRetraction": _retraction,
    "partialAggNeedRetraction": _retraction,
    "joinSpec": _join,
    "intervalJoinSpec": _interval_join,
    "leftUpsertKeys": _upsert_keys(False),
    "rightUpsertKeys": _upsert_keys(True),
    "rankStrategy": _strategy,
    "rankRange": _range,
    "overSpec": _over,
    "windowing": _window,
    "leftWindowing": _window_of(False),
    "rightWindowing": _window_of(True),
    "window": _group_window,
    "scanTableSource": _table,
}
