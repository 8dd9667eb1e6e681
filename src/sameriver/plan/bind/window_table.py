"""Windowing table functions: ``TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))``."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema, unique
from sameriver.common.types import PROCTIME, DataType, TimeAttribute, timestamp
from sameriver.plan import logical
from sameriver.plan.bind.context import Context
from sameriver.plan.bind.paths import parts_of
from sameriver.plan.bind.scope import Relation, Scope, relation_of
from sameriver.plan.bind.time_attributes import carries_time
from sameriver.plan.bind.window_sizes import check, milliseconds
from sameriver.plan.expressions import Column, Named
from sameriver.plan.logical import Logical
from sameriver.plan.window import Window, WindowKind, WindowProperty
from sameriver.sql.nodes import position

BOUND = timestamp(3).not_null
"""Type of window_start and window_end, whatever the type of the time column."""

_SIZES = {"HOP": "SLIDE", "CUMULATE": "STEP"}


def bind_window_table(node: exp.Expr, context: Context) -> Relation:
    """The input's columns and the three of the window.

    Raises:
        UserError: NOT_A_TIME_ATTRIBUTE, BAD_WINDOW, UNKNOWN_COLUMN.
    """
    below = _flat(context.relation(node.args["input"]))
    scope = Scope((below,))
    column = time_column(node.args["time"], scope, below.node)
    window = _window(node, column, scope, context)
    names = list(below.node.schema.names)
    fields = list(below.node.schema.fields)
    for part, type in (
        (WindowProperty.START, BOUND),
        (WindowProperty.END, BOUND),
        (WindowProperty.TIME, window_time(column.type)),
    ):
        name = unique(part.value, names)
        names.append(name)
        fields.append(Field(name, type))
    table = logical.WindowTable(input=below.node, window=window, schema=Schema(tuple(fields)))
    alias = node.args.get("alias")
    path = (alias.this.name,) if alias is not None else below.path
    return relation_of(table, path, hintable=below.hintable or alias is not None)


def _flat(relation: Relation) -> Relation:
    """With the names of an alias's column list in the plan itself."""
    names = [column.name for column in relation.columns]
    if tuple(names) == relation.node.schema.names:
        return relation
    columns = tuple(Named(visible.name, visible.column) for visible in relation.columns)
    projected = logical.Project(input=relation.node, columns=columns)
    return relation_of(projected, relation.path, hintable=relation.hintable)


def window_time(type: DataType) -> DataType:
    """Type of window_time: the time attribute, NOT NULL."""
    return PROCTIME if type.attribute is TimeAttribute.PROCTIME else type.not_null


def time_column(node: exp.Expr, scope: Scope, below: Logical) -> Column:
    """The time attribute that a window is cut by.

    Raises:
        UserError: NOT_A_TIME_ATTRIBUTE, UNKNOWN_COLUMN.
    """
    column, fields = scope.resolve(node, parts_of(node))
    if not fields and carries_time(below, column.name):
        return column
    name = ".".join(parts_of(node))
    known = [f.name for f in below.schema if carries_time(below, f.name)]
    hint = (
        f"Windows need a time attribute. {nearest(name, known)}"
        if known
        else "Windows need a time attribute: declare WATERMARK FOR it in CREATE TABLE, or a "
        "column AS PROCTIME(). Computing with a column, or aggregating it, makes it lose its role."
    )
    raise UserError(
        "NOT_A_TIME_ATTRIBUTE",
        f"'{name}' of type {column.type.name} is not a time attribute here",
        hint=hint,
        position=position(node),
    )


def _window(node: exp.Expr, column: Column, scope: Scope, context: Context) -> Window:
    kind = WindowKind(node.args["kind"])
    arguments = node.args["arguments"]
    size_node = arguments["GAP" if kind is WindowKind.SESSION else "SIZE"]
    step_node = arguments.get(_SIZES.get(kind.value, ""))
    offset_node = arguments.get("OFFSET")

    def length(part: exp.Expr, what: str) -> int:
        return milliseconds(part, context, f"the {what} of {kind.value}")

    window = Window(
        kind=kind,
        time=column.name,
        type=column.type,
        size=length(size_node, "gap" if kind is WindowKind.SESSION else "size"),
        step=None if step_node is None else length(step_node, _SIZES[kind.value].lower()),
        offset=0 if offset_node is None else length(offset_node, "offset"),
        partition=tuple(_partition(part, scope) for part in node.args.get("partition") or ()),
        position=position(node),
    )
    check(window, size_node, step_node, offset_node)
    return window


def _partition(node: exp.Expr, scope: Scope) -> str:
    column, fields = scope.resolve(node, parts_of(node))
    if fields:
        raise UserError(
            "BAD_WINDOW",
            "PARTITION BY of a window takes columns, not fields of a ROW",
            hint="Select the field as a column in a derived table.",
            position=position(node),
        )
    return column.name
