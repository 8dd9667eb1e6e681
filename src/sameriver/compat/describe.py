"""From the physical plan of a job to its description."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.state import RowScope, StateTable
from sameriver.compat.column_types import ColumnTypes
from sameriver.compat.description import (
    Column,
    Item,
    JobDescription,
    Operator,
    Sink,
    Source,
    Table,
    Trait,
)
from sameriver.compat.functions import functions_of
from sameriver.compat.items import Maker, type_text
from sameriver.compat.places import Places
from sameriver.compat.readings import Reader
from sameriver.compat.traits import traits
from sameriver.compat.zones import reads_zone
from sameriver.plan.expressions import to_sql
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink as SinkNode
from sameriver.plan.table import Table as PlanTable

_AFTER = " AFTER "


def describe(roots: Sequence[SinkNode], config: Config) -> JobDescription:
    """The description of a job.

    Args:
        roots: physical plans, as ``plan_job`` gives them.
        config: options of the job; the session's time zone counts.
    """
    nodes = list(dict.fromkeys(node for root in roots for node in _inputs_first(root)))
    reader = Reader()
    ids = {node: id for id, node in enumerate(node for node in nodes if node.state())}
    places, types = Places.of(nodes, reader), ColumnTypes.of(nodes)
    work = _Work(tuple(roots), ids, reader, places, types, str(config.zone))
    return JobDescription(
        operators=tuple(work.operator(node, id) for node, id in ids.items()),
        sinks=tuple(work.sink(root) for root in roots),
        sources=_sources(nodes),
    )


def stateful_nodes(roots: Sequence[SinkNode]) -> tuple[PhysicalNode, ...]:
    """The stateful nodes of a job in the order of their ids."""
    nodes = dict.fromkeys(node for root in roots for node in _inputs_first(root))
    return tuple(node for node in nodes if node.state())


def _inputs_first(node: PhysicalNode) -> Iterator[PhysicalNode]:
    for below in node.inputs:
        yield from _inputs_first(below)
    yield node


@dataclass(frozen=True)
class _Work:
    roots: tuple[SinkNode, ...]
    ids: dict[PhysicalNode, int]
    """Stateful nodes, inputs first."""
    reader: Reader
    places: Places
    types: ColumnTypes
    zone: str

    def operator(self, node: PhysicalNode, id: int) -> Operator:
        fed = [n for n, root in enumerate(self.roots) if node in set(_inputs_first(root))]
        maker = Maker(node, self.reader, self.places, lambda m: self._outputs(m, fed), self.zone)
        scope = _below(node)
        every = (*traits(maker), self._zone(node), self._path_types(scope, node))
        kept = tuple(self._typed(trait) for trait in every if trait.items)
        return Operator(
            id=id,
            kind=type(node).__name__,
            label=_label(kept),
            position=node.position,
            inputs=tuple(self.ids[below] for below in _stateful_below(node)),
            sinks=tuple(fed),
            sources=scope.sources,
            filters=tuple(self._filter(text, node) for text in scope.filters),
            path=scope.path,
            traits=kept,
            tables=tuple(_table(table) for table in node.state()),
            functions=functions_of(node),
        )

    def sink(self, root: SinkNode) -> Sink:
        table, meanings, scope = root.table, root.meanings(), root.scope()
        return Sink(
            table="" if table is None else table.name,
            connector="" if table is None else table.connector,
            columns=root.schema.names,
            meanings=tuple(meanings[name] for name in root.schema.names),
            primary_key=() if table is None else table.primary_key,
            options="" if table is None else _digest(table),
            sources=scope.sources,
            filters=tuple(self._filter(text, root) for text in scope.filters),
            path=scope.path,
            position=root.position or next((place for place in root.places if place), None),
        )

    def _zone(self, node: PhysicalNode) -> Trait:
        """The session's time zone, where an expression that feeds the operator reads it."""
        item = Item(meaning=self.zone, text=self.zone, position=node.position)
        return Trait(name="zone of expressions", items=(item,) if reads_zone(node) else ())

    def _path_types(self, scope: RowScope, node: PhysicalNode) -> Trait:
        """The columns that shape the rows on their way, with their types."""
        texts = {text for step in scope.path for text in self.types.read(step)}
        items = tuple(
            Item(meaning=text, text=text, position=node.position, like=(text.partition(" ")[0],))
            for text in sorted(texts)
        )
        return Trait(name="types on the way", items=items)

    def _typed(self, trait: Trait) -> Trait:
        items = (replace(item, reads=self.types.read(item.meaning)) for item in trait.items)
        return replace(trait, items=tuple(items))

    def _filter(self, text: str, node: PhysicalNode) -> Item:
        plain = text.split(_AFTER)[0]
        shown, position = self.places.conditions.get(plain, (plain, None))
        reads = self.types.read(text)
        return Item(meaning=text, text=shown, reads=reads, position=position or node.position)

    def _outputs(self, meaning: str, fed: Sequence[int]) -> tuple[str, ...]:
        """Output columns whose meaning holds another; all of a sink if its rows hang on that."""
        found = []
        for root in (self.roots[number] for number in fed):
            meanings, scope = root.meanings(), root.scope()
            every = any(meaning in text for text in (*scope.filters, *scope.path))
            prefix = "" if root.table is None else f"{root.table.name}."
            found += [f"{prefix}{n}" for n in root.schema.names if every or meaning in meanings[n]]
        return tuple(found)


def _below(node: PhysicalNode) -> RowScope:
    """The rows that reach a node."""
    scopes = [below.scope() for below in node.inputs]
    return RowScope(
        sources=tuple(sorted(source for scope in scopes for source in scope.sources)),
        filters=tuple(sorted(text for scope in scopes for text in scope.filters)),
        path=tuple(text for scope in scopes for text in scope.path),
    )


def _stateful_below(node: PhysicalNode) -> list[PhysicalNode]:
    found: dict[PhysicalNode, None] = {}
    for below in node.inputs:
        found.update(dict.fromkeys([below] if below.state() else _stateful_below(below)))
    return list(found)


_WORDS = (
    ("window type", ""), ("group key", "GROUP BY "), ("partition key", "PARTITION BY "),
    ("join type", ""), ("equality", "ON "), ("set operation", ""), ("lookup", ""),
    ("order", "ORDER BY "), ("limit", "LIMIT "),
)  # fmt: skip


def _label(kept: Sequence[Trait]) -> str:
    """``GROUP BY region``."""
    by_name = {trait.name: trait for trait in kept}
    parts = [
        f"{words}{', '.join(item.text for item in by_name[name].items)}"
        for name, words in _WORDS
        if name in by_name
    ]
    return " ".join(parts)


def _table(table: StateTable) -> Table:
    columns = tuple(
        Column(name=c.name, type=type_text(c.type), meaning=c.meaning, role=c.role.value)
        for c in table.columns
    )
    ttl = None if table.ttl is None else table.ttl // timedelta(milliseconds=1)
    return Table(name=table.name, columns=columns, path=table.scope.path, ttl=ttl)


def _sources(nodes: Sequence[PhysicalNode]) -> tuple[Source, ...]:
    read: dict[str, PlanTable] = {}
    for node in nodes:
        if isinstance(node, Scan | LookupJoin):
            read.setdefault(node.table.name, node.table)
    return tuple(_source(table) for _, table in sorted(read.items()))


def _source(table: PlanTable) -> Source:
    watermark = table.watermark
    text = "" if watermark is None else f"{watermark.column} AS SOURCE_WATERMARK()"
    if watermark is not None and watermark.expression is not None:
        text = f"{watermark.column} AS {to_sql(watermark.expression)}"
    return Source(
        table=table.name,
        connector=table.connector,
        columns=tuple(_declared(table)),
        watermark=text,
        primary_key=table.primary_key,
        options=_digest(table),
    )


def _declared(table: PlanTable) -> Iterator[str]:
    """``name TYPE``, and what a computed column computes."""
    computed = {column.name: f" AS {to_sql(column.expression)}" for column in table.computed}
    for field in table.schema:
        yield f"{field.name} {field.type.name}{computed.get(field.name, '')}"


def _digest(table: PlanTable) -> str:
    """Of the options that are neither the connector nor the handle of a frame."""
    options = {k: v for k, v in table.options.items() if k not in ("connector", "frame")}
    return hashlib.sha256(repr(sorted(options.items())).encode()).hexdigest()[:16]
