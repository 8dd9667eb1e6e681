"""Conditions of ON with queries: those of inner joins are as good in WHERE."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from sameriver.plan.bind.query_tests import conjuncts


def without_on_queries(node: exp.Expr) -> exp.Expr:
    """The query block with the operands of AND in ON that hold queries as operands of WHERE.

    Those of outer joins, and of joins that an outer join may pad, stay where they are.
    """
    joins = node.args.get("joins") or ()
    if not any(_asks(join.args.get("on")) for join in joins):
        return node
    node = node.copy()
    moved: list[exp.Expr] = []
    for join in reversed(node.args["joins"]):
        side = (join.args.get("side") or "").upper()
        if side in ("RIGHT", "FULL"):
            break
        if not side and _asks(join.args.get("on")):
            parts = list(conjuncts(join.args["on"]))
            moved += [part for part in parts if _asks(part)]
            kept = [part for part in parts if not _asks(part)]
            join.set("on", _all(kept) if kept else exp.Boolean(this=True))
    if moved:
        where = node.args.get("where")
        node.set("where", exp.Where(this=_all([*([where.this] if where else []), *moved])))
    return node


def _asks(node: exp.Expr | None) -> bool:
    return node is not None and node.find(exp.Query) is not None


def _all(parts: list[exp.Expr]) -> exp.Expr:
    return reduce(lambda one, other: exp.And(this=one, expression=other), parts)
