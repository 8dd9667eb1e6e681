"""Opens the sources and sinks of tables through their connectors."""

from __future__ import annotations

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.common.lookup import Lookup
from sameriver.common.schema import Schema
from sameriver.common.time import Clock
from sameriver.connectors.connector import Sink, Source, TableContext
from sameriver.connectors.lookup_cache import cached
from sameriver.connectors.registry import connector
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.scan import Scan
from sameriver.plan.table import Table


def open_source(scan: Scan, config: Config, clock: Clock) -> Source:
    """The source of a table.

    Raises:
        UserError: NOT_A_SOURCE, and what the connector finds wrong with its options.
    """
    table = scan.table
    make = connector(table.connector).source
    if make is None:
        raise UserError(
            "NOT_A_SOURCE",
            f"table '{table.name}' cannot be read: connector '{table.connector}' only writes",
            hint="Read from a table with another connector, such as 'filesystem' or 'datagen'.",
        )
    return make(_context(table, scan.schema, dict(scan.options), config, clock))


def open_lookup(node: LookupJoin, config: Config, clock: Clock) -> Lookup:
    """What finds rows of the table of a lookup join, cached as the table's options say.

    Raises:
        UserError: NOT_A_LOOKUP, and what the connector finds wrong with its options.
    """
    table = node.table
    make = connector(table.connector).lookup
    if make is None:
        raise UserError(
            "NOT_A_LOOKUP",
            f"table '{table.name}' cannot be looked up: connector '{table.connector}' has no way"
            " to find rows by key",
            hint="Look up a table with another connector, such as 'filesystem'.",
        )
    context = _context(table, node.looked_up, dict(node.options), config, clock)
    return cached(make(context), context)


def open_sink(table: Table, config: Config, clock: Clock) -> Sink:
    """The sink of a table.

    Raises:
        UserError: NOT_A_SINK, and what the connector finds wrong with its options.
    """
    make = connector(table.connector).sink
    if make is None:
        raise UserError(
            "NOT_A_SINK",
            f"table '{table.name}' cannot be written: connector '{table.connector}' only reads",
            hint="Write to a table with another connector, such as 'filesystem' or 'print'.",
        )
    return make(_context(table, Schema(table.written), {}, config, clock))


def _context(
    table: Table, schema: Schema, hints: dict[str, str], config: Config, clock: Clock
) -> TableContext:
    return TableContext(
        name=table.name,
        schema=schema,
        declared=Schema(table.physical),
        options={**table.options, **hints},
        metadata={column.name: column.key for column in table.metadata},
        primary_key=table.primary_key,
        partitioned_by=table.partitioned_by,
        zone=config.zone,
        clock=clock,
    )
