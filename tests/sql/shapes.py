"""Trees as short text, to compare with."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sameriver.sql import WindowTvf, data_type, parse_statement
from sameriver.sql.statements import Query


def query(sql: str) -> exp.Expr:
    statement = parse_statement(sql)
    assert isinstance(statement, Query)
    return statement.query


def value(sql: str) -> exp.Expr:
    """The one expression of a SELECT."""
    projection: exp.Expr = query(f"SELECT {sql} FROM t").expressions[0]
    return projection


def shape(node: Any) -> str:
    """``Add(a, 1)`` for an operator, ``F(a)`` for a call, ``t.a`` for a column."""
    match node:
        case exp.Anonymous():
            options = node.args.get("options")
            inner = ", ".join(shape(part) for part in node.expressions)
            return f"{node.this}({inner})" + (shape(options) if options else "")
        case exp.Column():
            return ".".join(shape(part) for part in reversed(node.args.values()) if part)
        case exp.Identifier():
            return f"`{node.this}`" if node.args.get("quoted") else str(node.this)
        case exp.Literal():
            return f"'{node.this}'" if node.is_string else str(node.this)
        case exp.IntervalSpan():
            return f"{shape(node.this)} TO {shape(node.expression)}"
        case exp.DataType():
            return str(data_type(node))
        case exp.Var() | exp.Boolean():
            return str(node.this)
        case exp.Star():
            return "*"
        case WindowTvf():
            parts = [node.args[key] for key in ("kind", "input", "time", "arguments")]
            partition = node.args.get("partition")
            return "Tvf" + shape((*parts, partition) if partition else parts)
        case exp.Expr():
            parts = [part for part in node.args.values() if part is not None and part != []]
            return type(node).__name__ + shape(parts)
        case list() | tuple():
            return "(" + ", ".join(shape(part) for part in node) + ")"
        case dict():
            return "{" + ", ".join(f"{key}: {shape(part)}" for key, part in node.items()) + "}"
    return str(node)
