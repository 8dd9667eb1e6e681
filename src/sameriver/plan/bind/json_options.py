"""Clauses of the JSON functions, as further arguments."""

from __future__ import annotations

from sqlglot import exp


def json_arguments(node: exp.Expr) -> list[exp.Expr]:
    return list(node.expressions)
