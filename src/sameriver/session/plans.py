"""From statements to plans of jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.connectors.registry import (
    accepts,
    changelog,
    check_options,
    looked_up,
    reads_fields,
)
from sameriver.plan.bind import bind_insert, bind_query
from sameriver.plan.catalog import Catalog
from sameriver.plan.explain import explain_json, explain_text
from sameriver.plan.logical import Logical
from sameriver.plan.physical.node import ChangelogMode
from sameriver.plan.physical.sink import Sink
from sameriver.plan.planner import plan_job
from sameriver.plan.table import Table
from sameriver.sql.statements import Insert, Query, Statement, StatementSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A statement that is a job: what it means, and how it will run.

    Attributes:
        statement: a query, an INSERT or a statement set.
        queries: bound, one for each root.
        roots: the physical plan.
        config: the options at that point of the script.
    """

    statement: Statement
    queries: tuple[Logical, ...]
    roots: tuple[Sink, ...]
    config: Config

    @property
    def schema(self) -> Schema:
        """Columns of the query."""
        return self.roots[0].schema

    def explain(self) -> str:
        """Logical plan, physical plan and state tables as text."""
        return explain_text(self.queries, self.roots)

    def explain_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(explain_json(self.queries, self.roots), indent=2, ensure_ascii=False)


def plan(statement: Query | Insert | StatementSet, catalog: Catalog, config: Config) -> Plan:
    """Binds and plans a statement.

    Raises:
        UserError: whatever is wrong with it.
    """
    match statement:
        case Query():
            queries: tuple[Logical, ...] = (bind_query(statement.query, catalog, config),)
        case Insert():
            queries = (bind_insert(statement, catalog, config),)
        case StatementSet():
            queries = tuple(bind_insert(insert, catalog, config) for insert in statement.inserts)
    return plan_of(statement, queries, config)


def plan_of(statement: Statement, queries: Sequence[Logical], config: Config) -> Plan:
    """The plan of bound queries."""
    try:
        roots = plan_job(queries, config, delivered, accepted, can_look_up, by_field)
    except UserError as error:
        raise error.at(getattr(statement, "position", None)) from None
    return Plan(statement=statement, queries=tuple(queries), roots=roots, config=config)


def check_table(table: Table) -> None:
    """Checks the options of a table.

    Raises:
        UserError: what is wrong with them.
    """
    try:
        check_options(
            table.connector,
            table.options,
            schema=Schema(table.physical),
            metadata=[column.key for column in table.metadata],
        )
    except UserError as error:
        if error.code == "MISSING_OPTION":
            error.message = f"table '{table.name}': {error.message}"
        raise


def delivered(table: Table) -> ChangelogMode:
    """The change kinds that reading a table gives; its options are checked, hints included."""
    check_table(table)
    return changelog(table.connector, table.options)


def can_look_up(table: Table) -> bool:
    """Whether rows of a table can be found by key; its options are checked."""
    check_table(table)
    return looked_up(table.connector, table.options)


def by_field(table: Table) -> bool:
    """Whether single fields of the ROWs of a table can be read."""
    return reads_fields(table.connector, table.options)


def accepted(table: Table) -> ChangelogMode:
    """The change kinds that a table takes; its options are checked."""
    check_table(table)
    return accepts(table.connector, table.options)
