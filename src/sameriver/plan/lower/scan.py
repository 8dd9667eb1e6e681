"""A logical scan becomes a scan of the columns needed, computed columns, and watermarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.plan import logical
from sameriver.plan.expressions import Column, Named, columns
from sameriver.plan.logical import Logical
from sameriver.plan.lower.calc import calc, select
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize
from sameriver.plan.physical.node import INSERT_ONLY, ChangelogMode, PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.table import Table

ScanKey = tuple[Table, tuple[tuple[str, str], ...]]
Reads = Mapping[ScanKey, frozenset[str]]
"""Physical columns that a job reads of each table: it is read once for all its queries."""


Kinds = Callable[[Table], ChangelogMode]
"""Change kinds of a table, whose options have hints laid over them."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What reading a table gives.

    Attributes:
        kinds: of changes.
        key: the primary key by which its changelog must be completed; empty: it is complete.
    """

    kinds: ChangelogMode
    key: tuple[str, ...]


def delivery(scan: logical.Scan, settings: Settings, changelog: Kinds) -> Delivery:
    """As in Flink, updates without the rows that they replace are completed, and with
    ``table.exec.source.cdc-events-duplicate`` all updates of a table with a primary key.

    Raises:
        UserError: MISSING_PRIMARY_KEY.
    """
    kinds = changelog(replace(scan.table, options=_options(scan)))
    upserts = ChangeKind.UPDATE_AFTER in kinds and ChangeKind.UPDATE_BEFORE not in kinds
    duplicates = kinds != INSERT_ONLY and settings.duplicates
    if not upserts and not duplicates:
        return Delivery(kinds, ())
    if scan.table.primary_key:
        return Delivery(kinds, scan.table.primary_key)
    cause = (
        f"Table '{scan.table.name}' produces a changelog stream contains UPDATE_AFTER, no"
        " UPDATE_BEFORE. This requires to define primary key constraint on the table."
    )
    if not upserts:
        cause = (
            "Configuration 'table.exec.source.cdc-events-duplicate' is enabled which requires the"
            f" changelog sources to define a PRIMARY KEY. However, table '{scan.table.name}'"
            " doesn't have a primary key."
        )
    raise UserError(
        "MISSING_PRIMARY_KEY",
        cause,
        hint="Add PRIMARY KEY (...) NOT ENFORCED to its columns.",
    )


def reads(nodes: tuple[Logical, ...], settings: Settings, changelog: Kinds) -> Reads:
    """What the (rewritten) queries of a job read together."""
    together: dict[ScanKey, frozenset[str]] = {}
    for node in nodes:
        for scan in _scans(node):
            key = (scan.table, scan.options)
            keyed = delivery(scan, settings, changelog).key
            read = together.get(key, frozenset()) | _physical(scan) | frozenset(keyed)
            together[key] = read
    return together


def lower_scan(
    scan: logical.Scan, settings: Settings, together: Reads, changelog: Kinds
) -> PhysicalNode:
    """Scan, then its changelog completed, then computed columns, then watermarks, then what is
    needed above.

    Flink assigns watermarks whether or not anything reads the event time. Here they are assigned
    only if the query reads that column: without it nothing above can depend on them (every window
    reads its time column), and the column need not be read at all. A NULL event time still fails
    a job that uses event time.
    """
    needed = _needed(scan)
    spec = scan.table.watermark
    timed = spec is not None and spec.column in scan.schema
    node = _source(scan, together[scan.table, scan.options], settings, changelog, timed)
    node = _computed(scan.table, node, needed)
    if spec is not None and timed:
        node = WatermarkAssigner(
            schema=node.schema,
            input=node,
            column=spec.column,
            expression=spec.expression,
            on_event=settings.on_event(_options(scan)),
        )
    return select(node, scan.schema.names)


def _source(
    scan: logical.Scan, names: frozenset[str], settings: Settings, changelog: Kinds, timed: bool
) -> PhysicalNode:
    delivered = delivery(scan, settings, changelog)
    fields = tuple(f for f in scan.table.physical if f.name in names)
    node = Scan(
        schema=Schema(fields), table=scan.table, options=scan.options, kinds=delivered.kinds
    )
    if not delivered.key:
        return node
    own = _physical(scan) | frozenset(delivered.key)
    below = select(node, [f.name for f in fields if f.name in own])
    return ChangelogNormalize(
        schema=below.schema,
        input=below,
        keys=delivered.key,
        # each row moves the watermark, also one that is soon replaced
        folded=settings.folded and not timed,
        ttl=settings.ttl,
    )


def _computed(table: Table, source: PhysicalNode, needed: frozenset[str]) -> PhysicalNode:
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
