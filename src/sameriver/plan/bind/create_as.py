"""CREATE TABLE ... AS SELECT: the table of a query, and the insert that fills it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sameriver.common.config import Config
from sameriver.common.errors import Position, UserError, nearest
from sameriver.common.schema import Schema
from sameriver.common.types import INTERVALS, Root
from sameriver.plan import logical
from sameriver.plan.bind.create_table import table_of
from sameriver.plan.bind.declaration import DeclaredColumn, as_written
from sameriver.plan.bind.insert import insert_into
from sameriver.plan.bind.query import query_context
from sameriver.plan.catalog import Catalog
from sameriver.sql.statements import CreateTable


def bind_create_as(create: CreateTable, catalog: Catalog, config: Config) -> logical.Insert:
    """The insert that fills the table; its ``table`` is new.

    A list of names alone puts the columns of the query in that order. Columns that are declared
    and that the query has take the declared type; the others come first, and are NULL.

    Raises:
        UserError: whatever is wrong; BAD_CREATE_AS if the list and the query don't go together.
    """
    assert create.query is not None
    context = query_context(catalog, config)
    plan = context.query(create.query)
    declared = as_written(create)
    columns = _columns(declared.columns, _of_query(plan.schema, create.position), create.position)
    _check_key(declared.primary_key, columns, create.position)
    table = table_of(create, replace(declared, columns=columns), context)
    return insert_into(table, plan, columns=plan.schema.names, position=create.position)


def _of_query(schema: Schema, at: Position | None) -> dict[str, DeclaredColumn]:
    for field in schema:
        if field.type.root in (Root.NULL, *INTERVALS):
            raise _bad(
                f"column '{field.name}' of the query has type {field.type.name}, "
                "which no table can store",
                "CAST it, such as CAST(NULL AS STRING).",
                at,
            )
    return {f.name: DeclaredColumn(name=f.name, type=f.type.plain) for f in schema}


def _columns(
    declared: Sequence[DeclaredColumn], found: dict[str, DeclaredColumn], at: Position | None
) -> tuple[DeclaredColumn, ...]:
    if declared and all(c.type is None and c.expression is None for c in declared):
        return _reordered(declared, found, at)
    own = {column.name: column for column in declared}
    first = [column for column in declared if column.name not in found]
    return (*first, *(own.get(name, column) for name, column in found.items()))


def _reordered(
    names: Sequence[DeclaredColumn], found: dict[str, DeclaredColumn], at: Position | None
) -> tuple[DeclaredColumn, ...]:
    for place, column in enumerate(names):
        if column.name not in found:
            message = f"the query has no column '{column.name}'"
            raise _bad(message, nearest(column.name, found), column.position)
        if any(column.name == other.name for other in names[:place]):
            raise _bad(f"column '{column.name}' is named twice", "Name it once.", column.position)
    missing = [name for name in found if name not in {column.name for column in names}]
    if missing:
        message = f"the list leaves out column '{missing[0]}' of the query"
        hint = "A list without types names all columns of the query, in the order they shall have."
        raise _bad(message, hint, names[0].position or at)
    return tuple(found[column.name] for column in names)


def _check_key(key: Sequence[str], columns: Sequence[DeclaredColumn], at: Position | None) -> None:
    for column in columns:
        if column.name in key and column.type is not None and column.type.nullable:
            raise _bad(
                f"'{column.name}' of PRIMARY KEY may be NULL in the query",
                f"Select what is never NULL, such as COALESCE({column.name}, ...).",
                at,
            )


def _bad(message: str, hint: str, at: Position | None) -> UserError:
    return UserError("BAD_CREATE_AS", message, hint=hint, position=at)
