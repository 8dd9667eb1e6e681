"""A logical scan becomes a scan of the columns needed, computed columns, and watermarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.plan import logical
from sameriver.plan.expressions import Column, Named, columns
from sameriver.plan.logical import Logical
from sameriver.plan.lower.calc import calc, select
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.table import Table

ScanKey = tuple[Table, tuple[tuple[str, str], ...]]
Reads = Mapping[ScanKey, frozenset[str]]
"""Physical columns that a job reads of each table: it is read once for all its queries."""


def reads(nodes: tuple[Logical, ...]) -> Reads:
    """What the (rewritten) queries of a job read together."""
    together: dict[ScanKey, frozenset[str]] = {}
    for node in nodes:
        for scan in _scans(node):
            key = (scan.table, scan.options)
            together[key] = together.get(key, frozenset()) | _physical(scan)
    return together


def lower_scan(
    scan: logical.Scan,
    settings: Settings,
    together: Reads,
    changelog: Callable[[Table], ChangelogMode],
) -> PhysicalNode:
    """Scan, then computed columns, then watermarks, then what is needed above.

    Flink assigns watermarks whether or not anything reads the event time. Here they are assigned
    only if the query reads that column: without it nothing above can depend on them (every window
    reads its time column), and the column need not be read at all. A NULL event time still fails
    a job that uses event time.
    """
    source = _source(scan, together[scan.table, scan.options], changelog)
    needed = _needed(scan)
    node = _computed(scan.table, source, needed)
    spec = scan.table.watermark
    if spec is not None and spec.column in scan.schema:
        node = WatermarkAssigner(
            schema=node.schema,
            input=node,
            column=spec.column,
            expression=spec.expression,
            on_event=settings.on_event(_options(scan)),
        )
    return select(node, scan.schema.names)


def _source(
    scan: logical.Scan, names: frozenset[str], changelog: Callable[[Table], ChangelogMode]
) -> Scan:
    kinds = changelog(replace(scan.table, options=_options(scan)))
    if ChangeKind.UPDATE_AFTER in kinds and ChangeKind.UPDATE_BEFORE not in kinds:
        raise UserError(
            "UNSUPPORTED",
            f"table '{scan.table.name}' delivers updates without the rows they replace",
            hint="Upsert sources are not supported yet: use a format with full changes, such as"
            " debezium-json.",
        )
    fields = tuple(f for f in scan.table.physical if f.name in names)
    return Scan(schema=Schema(fields), table=scan.table, options=scan.options, kinds=kinds)


def _computed(table: Table, source: Scan, needed: frozenset[str]) -> PhysicalNode:
    computed = {column.name: column for column in table.computed if column.name in needed}
    if not computed:
        return source
    picked = []
    for field in table.schema:
        if field.name in computed:
            picked.append(computed[field.name])
        elif field.name in needed:
            picked.append(Named(field.name, Column(field.name, source.schema[field.name])))
    return calc(source, picked)


def _needed(scan: logical.Scan) -> frozenset[str]:
    """Columns that the scan's own schema and its watermark take."""
    spec = scan.table.watermark
    needed = frozenset(scan.schema.names)
    if spec is not None and spec.column in needed and spec.expression is not None:
        needed |= columns(spec.expression)
    return needed


def _physical(scan: logical.Scan) -> frozenset[str]:
    """Physical columns to read; one at least, since rows need a column to exist."""
    needed = _needed(scan)
    names = {f.name for f in scan.table.physical} & needed
    for column in scan.table.computed:
        if column.name in needed:
            names |= columns(column.expression)
    return frozenset(names or {scan.table.physical[0].name})


def _options(scan: logical.Scan) -> dict[str, str]:
    return {**scan.table.options, **dict(scan.options)}


def _scans(node: Logical) -> Iterator[logical.Scan]:
    if isinstance(node, logical.Scan):
        yield node
    for below in logical.inputs(node):
        yield from _scans(below)
