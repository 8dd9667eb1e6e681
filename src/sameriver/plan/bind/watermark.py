"""WATERMARK FOR: which columns may carry event time, and what the expression may be."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema
from sameriver.common.types import TIMESTAMPS, DataType, TimeAttribute
from sameriver.plan import logical
from sameriver.plan.bind.context import Context, Environment
from sameriver.plan.bind.declaration import DeclaredWatermark
from sameriver.plan.bind.scope import Scope, relation_of
from sameriver.plan.expressions import Call, Column, Expression, Literal
from sameriver.plan.table import WatermarkSpec

_MOST_DIGITS = 3
"""Most digits of a second in a time attribute."""


def bind_declared(expression: exp.Expr | Expression, environment: Environment) -> Expression:
    """Binds what is written; what LIKE takes over is bound."""
    if isinstance(expression, Column | Literal | Call):
        return expression
    return environment.bind(expression)


def scope_of(schema: Schema) -> Scope:
    """The columns of a table in sight of its own expressions."""
    return Scope((relation_of(logical.Values(rows=(), schema=schema)),))


def bind_watermark(
    definition: DeclaredWatermark | None, schema: Schema, context: Context
) -> tuple[Schema, WatermarkSpec | None]:
    """The schema with its event time marked, and the watermark.

    Raises:
        UserError: BAD_WATERMARK, UNKNOWN_COLUMN.
    """
    if definition is None:
        return schema, None
    name = definition.column
    if name not in schema:
        raise UserError(
            "UNKNOWN_COLUMN",
            f"WATERMARK FOR names '{name}', which is no column of this table",
            hint=nearest(name, schema.names),
            position=definition.position,
        )
    type = schema[name]
    _check_time(definition, f"column '{name}'", type)
    expression = None
    if definition.expression is not None:
        environment = context.environment(scope_of(schema), "WATERMARK")
        expression = bind_declared(definition.expression, environment)
        _check_expression(definition, type, expression)
    timed = replace(type, attribute=TimeAttribute.ROWTIME)
    fields = tuple(Field(f.name, timed if f.name == name else f.type) for f in schema)
    return Schema(fields), WatermarkSpec(name, expression, definition.said)


def _check_time(definition: DeclaredWatermark, what: str, type: DataType) -> None:
    if type.attribute is TimeAttribute.PROCTIME:
        problem, hint = "is processing time", "Processing time has no watermark: leave it out."
    elif type.root not in TIMESTAMPS:
        problem = f"is of type {type.name}"
        hint = (
            "A watermark needs TIMESTAMP(3) or TIMESTAMP_LTZ(3); make one in a computed column, "
            "such as ts AS TO_TIMESTAMP(text) or ts AS TO_TIMESTAMP_LTZ(millis, 3)."
        )
    elif (type.precision or 0) > _MOST_DIGITS:
        problem = f"is of type {type.name}, which is finer than milliseconds"
        hint = f"Declare it {type.root.value}(3), or CAST it to that in a computed column."
    else:
        return
    raise UserError(
        "BAD_WATERMARK",
        f"{what} of WATERMARK {problem}",
        hint=hint,
        position=definition.position,
    )


def _check_expression(
    definition: DeclaredWatermark, type: DataType, expression: Expression
) -> None:
    found = expression.type
    _check_time(definition, "the expression", found.plain)
    if found.root is not type.root:
        raise UserError(
            "BAD_WATERMARK",
            f"the expression of WATERMARK is of type {found.name}, its column of {type.name}",
            hint=f"CAST the expression to {type.name}.",
            position=definition.position,
        )
