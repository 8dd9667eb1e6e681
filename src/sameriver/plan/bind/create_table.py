"""CREATE TABLE: columns, watermark, key; LIKE."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.config import Config
from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.schema import Field, Schema
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.declaration import (
    Declaration,
    DeclaredColumn,
    as_written,
)
from sameriver.plan.bind.like import inherited
from sameriver.plan.bind.query import query_context
from sameriver.plan.bind.watermark import bind_declared, bind_watermark, scope_of
from sameriver.plan.catalog import Catalog
from sameriver.plan.expressions import Named
from sameriver.plan.table import MetadataColumn, Table
from sameriver.sql.statements import CreateTable


def bind_table(create: CreateTable, catalog: Catalog, config: Config) -> Table:
    """The table that a CREATE TABLE declares, LIKE included.

    Raises:
        UserError: with code, position and a way out, whatever is wrong with it.
    """
    context = query_context(catalog, config)
    parts = as_written(create)
    if create.like is not None:
        parts = inherited(parts, create.like, catalog)
    return table_of(create, parts, context)


def table_of(create: CreateTable, parts: Declaration, context: Context) -> Table:
    """The table of a declaration."""
    _check_names(create, parts)
    key = _primary_key(create, parts)
    physical = tuple(
        Field(c.name, c.type.plain.not_null if c.name in key else c.type.plain)
        for c in parts.columns
        if c.type is not None
    )
    computed = _computed(parts.columns, physical, context)
    types = {f.name: f.type for f in physical} | {c.name: c.expression.type for c in computed}
    fields = tuple(Field(column.name, types[column.name]) for column in parts.columns)
    schema, watermark = bind_watermark(parts.watermark, Schema(fields), context)
    _check_known(create, parts.partitioned_by, [f.name for f in physical], "PARTITIONED BY")
    return Table(
        name=context.catalog.display(context.catalog.path(create.name.parts)),
        schema=schema,
        physical=physical,
        computed=computed,
        metadata=tuple(
            MetadataColumn(c.name, c.metadata, c.virtual)
            for c in parts.columns
            if c.metadata is not None
        ),
        watermark=watermark,
        primary_key=key,
        partitioned_by=tuple(map(str, parts.partitioned_by)),
        options=parts.options,
        comment=create.comment,
        comments=tuple((c.name, c.comment) for c in parts.columns if c.comment),
        said=tuple((c.name, c.said) for c in parts.columns if c.said),
    )


def _check_names(create: CreateTable, parts: Declaration) -> None:
    seen: set[str] = set()
    for column in parts.columns:
        if column.name in seen:
            raise UserError(
                "DUPLICATE_COLUMN",
                f"column '{column.name}' is declared twice",
                hint="Rename one of them.",
                position=column.position or create.position,
            )
        seen.add(column.name)
    if not any(column.type is not None for column in parts.columns):
        raise UserError(
            "NO_COLUMNS",
            f"table '{create.name}' has no column of its own",
            hint="Declare at least one column with a type.",
            position=create.position,
        )


def _primary_key(create: CreateTable, parts: Declaration) -> tuple[str, ...]:
    columns = [c.name for c in parts.columns]
    _check_known(create, parts.primary_key, columns, "PRIMARY KEY")
    for column in parts.columns:
        if column.name in parts.primary_key and (column.type is None or column.metadata):
            raise UserError(
                "BAD_PRIMARY_KEY",
                f"'{column.name}' in PRIMARY KEY is not a column of the table's own",
                hint="Computed and metadata columns can't be part of a key.",
                position=column.position or create.position,
            )
    return tuple(map(str, parts.primary_key))


def _check_known(
    create: CreateTable, names: Sequence[str], known: Sequence[str], clause: str
) -> None:
    for place, name in enumerate(names):
        if name not in known or name in names[:place]:
            twice = name in known
            raise UserError(
                "DUPLICATE_COLUMN" if twice else "UNKNOWN_COLUMN",
                f"{clause} names '{name}' twice"
                if twice
                else f"{clause} names '{name}', which is no column of the table's own",
                hint="Name each column once." if twice else nearest(name, known),
                position=place_of(name) or create.position,
            )


def _computed(
    columns: Sequence[DeclaredColumn], physical: tuple[Field, ...], context: Context
) -> tuple[Named, ...]:
    """Computed columns, each over the physical ones."""
    environment = context.environment(scope_of(Schema(physical)), "a computed column")
    names = {column.name for column in columns if column.expression is not None}
    computed = []
    for column in columns:
        if column.expression is None:
            continue
        try:
            computed.append(Named(column.name, bind_declared(column.expression, environment)))
        except UserError as error:
            if error.code == "UNKNOWN_COLUMN" and any(f"'{n}'" in error.message for n in names):
                error.hint = "A computed column sees declared columns only: repeat the expression."
            error.at(column.position)
            raise
    return tuple(computed)
