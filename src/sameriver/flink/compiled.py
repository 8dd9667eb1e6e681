"""Flink's compiled plan: JSON, read into small nodes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import ExternalError

Data = Mapping[str, Any]
"""JSON of a node, as Flink wrote it."""
UID_FORMAT = "table.exec.uid.format"
ZONE = "table.local-time-zone"
_TRANSFORMATION = "_<transformation>"
_TYPE = re.compile(r"stream-exec-(?P<type>.+)_(?P<version>\d+)")
_OPENING, _CLOSING = "<([", ">)]"


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a node gives; ``type`` is Flink's text of it, NOT NULL included."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """One node.

    Attributes:
        type: ``group-aggregate``: without prefix and version.
        version: of that type.
        inputs: ids of the nodes it reads, in order.
        columns: what it gives.
        data: all that Flink wrote.
    """

    id: int
    type: str
    version: str
    inputs: tuple[int, ...]
    columns: tuple[Column, ...]
    data: Data

    @property
    def kind(self) -> str:
        """``GroupAggregate``."""
        return "".join(word.capitalize() for word in self.type.split("-"))

    @property
    def zone(self) -> str:
        """The session's time zone; empty: it is not noted."""
        return str(self.data.get("configuration", {}).get(ZONE, ""))

    @property
    def name(self) -> str:
        """The stable name that was given to it; empty: none was."""
        format = str(self.data.get("configuration", {}).get(UID_FORMAT, ""))
        return format.removesuffix(_TRANSFORMATION) if format.endswith(_TRANSFORMATION) else ""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPlan:
    """A plan: ``nodes`` with inputs first, and ``data``, the JSON that they were read from."""

    nodes: tuple[Node, ...]
    data: dict[str, Any]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def node(self, id: int) -> Node:
        return next(node for node in self.nodes if node.id == id)

    def readers(self, id: int) -> tuple[Node, ...]:
        """The nodes that read one."""
        return tuple(node for node in self.nodes if id in node.inputs)


def read_plan(text: str) -> CompiledPlan:
    """Reads a compiled plan.

    Raises:
        ExternalError: FOREIGN_PLAN.
    """
    try:
        data = json.loads(text)
        inputs: dict[int, list[int]] = {node["id"]: [] for node in data["nodes"]}
        for edge in data["edges"]:
            inputs[edge["target"]].append(edge["source"])
        nodes = {node["id"]: _node(node, tuple(inputs[node["id"]])) for node in data["nodes"]}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ExternalError(
            "FOREIGN_PLAN",
            f"this is no compiled plan of Flink: {error}",
            hint="Plans are written by COMPILE PLAN of Flink 2.3.",
        ) from error
    return CompiledPlan(tuple(_inputs_first(nodes)), data)


def plan_text(data: Data) -> str:
    """A plan as JSON text."""
    return json.dumps(data, indent=1, ensure_ascii=False)


def renumbered(data: Data, first: int = 1) -> dict[str, Any]:
    """A plan's JSON with nodes numbered in their order: Flink counts on from plan to plan."""
    ids = {node["id"]: number for number, node in enumerate(data["nodes"], first)}
    nodes = [{**node, "id": ids[node["id"]]} for node in data["nodes"]]
    edges = [
        {**edge, "source": ids[edge["source"]], "target": ids[edge["target"]]}
        for edge in data["edges"]
    ]
    return {**data, "nodes": nodes, "edges": edges}


def with_name(data: Data, name: str) -> dict[str, Any]:
    """A node's JSON with a stable name for what it runs."""
    return _configured(data, UID_FORMAT, f"{name}{_TRANSFORMATION}")


def with_zone(plan: str, zone: str) -> str:
    """A compiled plan in which each node knows the session's time zone, as windows already do.

    What an expression means may hang on it, and Flink notes it for windows only.
    """
    data = json.loads(plan)
    nodes = [_configured(node, ZONE, zone) for node in data["nodes"]]
    return plan_text({**data, "nodes": nodes})


def _configured(data: Data, key: str, value: str) -> dict[str, Any]:
    return {**data, "configuration": {**data.get("configuration", {}), key: value}}


def type_text(type: str | Data) -> str:
    """A type as text: Flink writes types that SQL can't spell as objects."""
    if isinstance(type, str):
        return type
    named = {key: value for key, value in type.items() if key != "nullable"}
    end = "" if type.get("nullable", True) else " NOT NULL"
    return json.dumps(named, separators=(",", ":"), sort_keys=True) + end


def row_type(columns: Sequence[Column]) -> dict[str, Any]:
    """The row type of columns, as JSON."""
    fields = [{"name": one.name, "fieldType": type_data(one.type)} for one in columns]
    return {"type": "ROW", "fields": fields}


def type_data(text: str) -> str | dict[str, Any]:
    """A type as Flink writes it, from its text."""
    if not text.startswith("{"):
        return text
    plain = text.removesuffix(" NOT NULL")
    return {**json.loads(plain), **({"nullable": False} if plain != text else {})}


def _node(data: Data, inputs: tuple[int, ...]) -> Node:
    found = _TYPE.fullmatch(data["type"])
    if found is None:
        raise ValueError(f"a node of type '{data['type']}'")
    return Node(
        id=data["id"],
        type=found["type"],
        version=found["version"],
        inputs=inputs,
        columns=columns_of(data["outputType"]),
        data=data,
    )


def _inputs_first(nodes: dict[int, Node]) -> Iterator[Node]:
    done: set[int] = set()
    waiting = list(nodes.values())
    while waiting:
        ready = [node for node in waiting if done.issuperset(node.inputs)]
        done.update(node.id for node in ready)
        waiting = [node for node in waiting if node.id not in done]
        yield from ready


def columns_of(row: str | Data) -> tuple[Column, ...]:
    """Columns of a row type: ``ROW<`k` STRING, `v` INT NOT NULL>``, or an object."""
    if isinstance(row, str):
        return tuple(_column(part) for part in _parts(row[row.index("<") + 1 : row.rindex(">")]))
    return tuple(Column(field["name"], type_text(field["fieldType"])) for field in row["fields"])


def _column(text: str) -> Column:
    end = re.match(r"`(?:[^`]|``)*`", text)
    if end is None:
        raise ValueError(f"a column '{text}'")
    return Column(end[0][1:-1].replace("``", "`"), text[end.end() :].strip())


def _parts(text: str) -> Iterator[str]:
    """What commas outside of brackets and quotes part."""
    depth, quote, start = 0, "", 0
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "`'":
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif sign == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
