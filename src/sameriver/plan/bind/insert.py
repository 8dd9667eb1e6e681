"""INSERT INTO: columns of the query onto those of the table."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.config import Config
from sameriver.common.errors import Position, UserError, nearest
from sameriver.common.schema import Field, Schema
from sameriver.common.types import NULL, DataType, Root
from sameriver.functions.casts import cast_allowed, implicit_cast_allowed
from sameriver.plan import logical
from sameriver.plan.bind.calls import coerce
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.hints import options_of
from sameriver.plan.bind.query import query_context
from sameriver.plan.bind.refuse import unsupported
from sameriver.plan.bind.scope import Scope
from sameriver.plan.catalog import Catalog, View
from sameriver.plan.expressions import Call, Column, Expression, Literal, Named
from sameriver.plan.logical import Logical
from sameriver.plan.table import Table
from sameriver.sql.statements import Insert

_STORED = {
    (Root.FLOAT, Root.DECIMAL),
    (Root.DOUBLE, Root.DECIMAL),
    (Root.TIMESTAMP, Root.DATE),
    (Root.TIMESTAMP, Root.TIME),
}
_NOT_STORED = {
    (Root.VARCHAR, Root.CHAR),
    (Root.VARBINARY, Root.BINARY),
    (Root.DATE, Root.TIMESTAMP),
    (Root.DATE, Root.TIMESTAMP_LTZ),
}


def bind_insert(insert: Insert, catalog: Catalog, config: Config) -> logical.Insert:
    """The query, cast to the columns that the table takes, in their order.

    Raises:
        UserError: UNKNOWN_TABLE, UNKNOWN_COLUMN, COLUMN_COUNT, SINK_TYPES, MISSING_COLUMN, ...
    """
    if insert.overwrite:
        raise unsupported("INSERT OVERWRITE", insert.position, "Streams only add: INSERT INTO.")
    target = catalog.get(insert.table.parts, insert.table.position)
    if isinstance(target, View):
        raise UserError(
            "WRONG_KIND",
            f"'{insert.table}' is a view, so nothing can be inserted",
            hint="Insert into a table.",
            position=insert.table.position,
        )
    if insert.hint is not None:
        target = replace(target, options=target.options | options_of([insert.hint]))
    context = query_context(catalog, config)
    plan = context.query(insert.query)
    constants = _constants(insert, target, context)
    return insert_into(
        target, plan, columns=insert.columns, constants=constants, position=insert.table.position
    )


def insert_into(
    table: Table,
    plan: Logical,
    *,
    columns: tuple[str, ...] = (),
    constants: dict[str, Expression] | None = None,
    position: Position | None = None,
) -> logical.Insert:
    """``plan`` into ``table``; ``columns`` are those that the query fills, all if empty."""
    fixed = constants or {}
    fields = table.written
    names = columns or tuple(f.name for f in fields if f.name not in fixed)
    _check_columns(table, names, fixed, fields, position)
    if len(names) != len(plan.schema):
        raise _mismatch(
            table,
            plan,
            f"the query has {len(plan.schema)} columns, {len(names)} are needed",
            names,
            position,
        )
    given: dict[str, Expression] = dict(fixed)
    for name, field in zip(names, plan.schema, strict=True):
        given[name] = Column(field.name, field.type)
    projected = [
        Named(field.name, _cast(table, plan, field, given.get(field.name), names, position))
        for field in fields
    ]
    same = [(c.name, c.expression) for c in projected] == [
        (f.name, Column(f.name, f.type)) for f in plan.schema
    ]
    below = plan if same else logical.Project(input=plan, columns=tuple(projected))
    return logical.Insert(input=below, table=table, position=position)


def _check_columns(
    table: Table,
    names: tuple[str, ...],
    fixed: dict[str, Expression],
    fields: tuple[Field, ...],
    position: Position | None,
) -> None:
    known = [field.name for field in fields]
    for place, name in enumerate(names):
        if name not in known:
            computed = name in table.schema
            raise UserError(
                "UNKNOWN_COLUMN",
                f"'{name}' of '{table.name}' is computed or virtual, so it can't be written"
                if computed
                else f"there is no column '{name}' in '{table.name}'",
                hint="Leave it out." if computed else nearest(name, known),
                position=position,
            )
        if name in names[:place] or name in fixed:
            raise UserError(
                "DUPLICATE_COLUMN",
                f"column '{name}' is written twice",
                hint="Name each column once, in PARTITION or in the list.",
                position=position,
            )


def _cast(
    table: Table,
    plan: Logical,
    field: Field,
    given: Expression | None,
    names: tuple[str, ...],
    position: Position | None,
) -> Expression:
    """The value of a column.

    Raises:
        UserError: SINK_TYPES; MISSING_COLUMN for a NOT NULL column that is not given.
    """
    if given is None:
        if not field.type.nullable:
            raise UserError(
                "MISSING_COLUMN",
                f"column '{field.name}' of '{table.name}' is NOT NULL, but nothing is given for it",
                hint="Add it to the list of columns.",
                position=position,
            )
        return Literal(None, field.type)
    if not storable(given.type, field.type):
        cause = (
            f"column '{field.name}' is {field.type.name}, the query gives {given.type.name} for it"
        )
        raise _mismatch(table, plan, cause, names, position)
    return coerce(given, field.type)


def storable(given: DataType, column: DataType) -> bool:
    """Whether a sink takes a value of one type for a column of another, as Flink decides it.

    That is not quite what function arguments take: fractions and times may lose digits, but a
    string of any length goes into no CHAR, and a DATE into no timestamp.
    """
    pair = (given.root, column.root)
    if pair in _STORED or pair in _NOT_STORED:
        return pair in _STORED
    return implicit_cast_allowed(given, column)


def _mismatch(
    table: Table, plan: Logical, cause: str, names: tuple[str, ...], position: Position | None
) -> UserError:
    types = {field.name: field.type for field in table.physical}
    return UserError(
        "SINK_TYPES",
        f"Column types of query result and sink for '{table.name}' do not match: {cause}",
        hint=f"Query: [{_listed(plan.schema)}]. Sink: "
        f"[{_listed(Schema.of((name, types.get(name, NULL)) for name in names))}]. CAST or "
        "leave out columns, or list the columns: INSERT INTO t (a, b).",
        position=position,
    )


def _listed(schema: Schema) -> str:
    return ", ".join(f"{field.name}: {_shown(field.type)}" for field in schema)


def _shown(type: DataType) -> str:
    return str(type.plain)


def _constants(insert: Insert, table: Table, context: Context) -> dict[str, Expression]:
    """``PARTITION (day = '2026-01-01')``."""
    environment = context.environment(Scope(), "PARTITION")
    constants: dict[str, Expression] = {}
    for name, node in insert.partition:
        if name not in table.partitioned_by:
            raise UserError(
                "UNKNOWN_COLUMN",
                f"'{name}' is not a partition column of '{table.name}'",
                hint=nearest(name, table.partitioned_by)
                or f"'{table.name}' has no PARTITIONED BY.",
                position=insert.table.position,
            )
        value, type = environment.bind(node), table.schema[name].plain
        if storable(value.type, type) or not cast_allowed(value.type, type):
            constants[name] = value
        else:
            constants[name] = Call("CAST", (value,), type.with_nullable(value.type.nullable))
    return constants
