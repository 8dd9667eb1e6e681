"""MATCH_RECOGNIZE: rows that follow a pattern."""

from __future__ import annotations

from sqlglot import exp

from sameriver.sql.cursor import Cursor
from sameriver.sql.tokens import Kind
from sameriver.sql.windows import order


def match_recognize(cursor: Cursor, table: exp.Expr) -> exp.MatchRecognize:
    """The clause as a relation of its own; ``this`` is the table it reads.

    ``pattern`` is an ``exp.Var`` of the text between the parentheses, ``within`` an interval.
    """
    start = cursor.advance()
    opening = cursor.token
    cursor.expect("(")
    node = exp.MatchRecognize(this=table)
    if cursor.accept("PARTITION"):
        cursor.expect("BY")
        node.set("partition_by", cursor.separated(cursor.expression))
    if cursor.at("ORDER"):
        node.set("order", order(cursor))
    if cursor.accept("MEASURES"):
        node.set("measures", cursor.separated(lambda: _measure(cursor)))
    _rows_and_skip(cursor, node)
    cursor.expect("PATTERN")
    node.set("pattern", _pattern(cursor))
    if cursor.accept("WITHIN"):
        node.set("within", cursor.expression())
    if cursor.at("SUBSET"):
        subset = cursor.advance()
        cursor.unsupported("SUBSET", subset, "Name the variables one by one.")
    cursor.expect("DEFINE")
    node.set("define", cursor.separated(lambda: _definition(cursor)))
    cursor.close(opening)
    return cursor.mark(node, start)


def _measure(cursor: Cursor) -> exp.MatchRecognizeMeasure:
    start = cursor.token
    frame = cursor.advance().upper if cursor.at_any("FINAL", "RUNNING") else None
    value = cursor.expression()
    cursor.expect("AS")
    alias = exp.Alias(this=value, alias=cursor.identifier("the name of the measure"))
    return cursor.mark(exp.MatchRecognizeMeasure(this=alias, window_frame=frame), start)


def _rows_and_skip(cursor: Cursor, node: exp.MatchRecognize) -> None:
    if cursor.at("ONE", "ROW", "PER", "MATCH") or cursor.at("ALL", "ROWS", "PER", "MATCH"):
        node.set("rows", exp.Var(this=" ".join(cursor.advance().upper for _ in range(4))))
    if not cursor.accept("AFTER"):
        return
    cursor.expect("MATCH", "SKIP")
    for words in (("PAST", "LAST", "ROW"), ("TO", "NEXT", "ROW")):
        if cursor.accept(*words):
            node.set("after", exp.Var(this="AFTER MATCH SKIP " + " ".join(words)))
            return
    cursor.expect("TO")
    edge = cursor.advance().upper if cursor.at_any("FIRST", "LAST") else "LAST"
    variable = cursor.name("a pattern variable")
    node.set("after", exp.Var(this=f"AFTER MATCH SKIP TO {edge} {variable}"))


def _pattern(cursor: Cursor) -> exp.Var:
    opening = cursor.token
    cursor.expect("(")
    start = cursor.token
    depth = 1
    while depth:
        if cursor.token.kind is Kind.END or cursor.at(";"):
            cursor.close(opening)
        depth += cursor.at("(") - cursor.at(")")
        end = cursor.advance()
    return cursor.mark(exp.Var(this=cursor.text[start.start : end.start].strip()), start)


def _definition(cursor: Cursor) -> exp.Alias:
    """``A AS condition``: the condition under the name of the variable."""
    start = cursor.token
    name = cursor.identifier("a pattern variable")
    cursor.expect("AS")
    return cursor.mark(exp.Alias(this=cursor.expression(), alias=name), start)
