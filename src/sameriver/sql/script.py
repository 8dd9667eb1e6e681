"""Scripts and their statements."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import DataType
from sameriver.sql.commands import at_end, describe, reset_option, set_option, show, use
from sameriver.sql.create_table import names, table_name
from sameriver.sql.cursor import Cursor, Grammar
from sameriver.sql.definitions import create, drop
from sameriver.sql.expressions import expression, operand
from sameriver.sql.hints import hint
from sameriver.sql.queries import query
from sameriver.sql.statements import Explain, Insert, Query, Statement, StatementSet
from sameriver.sql.tokens import Kind, Token
from sameriver.sql.types import nullable_type

_GRAMMAR = Grammar(expression=expression, operand=operand, query=query)

_UNSUPPORTED = {
    "ALTER": "Change the CREATE statement of the script instead.",
    "ANALYZE": "There are no statistics to gather.",
    "CALL": "There are no procedures.",
    "COMPILE": "EXPLAIN shows the plan.",
    "DELETE": "A stream is changed by its source.",
    "LOAD": "There is one module, with Flink's functions.",
    "UNLOAD": "There is one module, with Flink's functions.",
    "MERGE": "Write INSERT INTO a table that has a PRIMARY KEY.",
    "STOP": "Interrupt the run instead.",
    "TRUNCATE": "Delete the files of the table instead.",
    "UPDATE": "A stream is changed by its source.",
    "ADD": "Functions are Python: CREATE FUNCTION name AS 'module.name' LANGUAGE PYTHON.",
    "REMOVE": "Functions are Python: CREATE FUNCTION name AS 'module.name' LANGUAGE PYTHON.",
}
_EXPLAIN_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")


def parse_script(text: str) -> tuple[Statement, ...]:
    """All statements of a script, in order; positions count from the start of the script.

    Raises:
        UserError: SYNTAX, or another code for SQL that is well-formed but wrong or unsupported.
    """
    cursor = Cursor(text, _GRAMMAR)
    try:
        return tuple(_statements(cursor))
    except RecursionError:
        where = cursor.position_of(cursor.token)
        hint = "Take it apart with WITH queries or views."
        message = "this is nested too deeply"
        raise UserError("SYNTAX", message, hint=hint, position=where) from None


def parse_type(text: str) -> DataType:
    """The type that a text such as ``ARRAY<STRING>`` names.

    Raises:
        UserError: SYNTAX, UNKNOWN_TYPE, BAD_TYPE.
    """
    cursor = Cursor(text, _GRAMMAR)
    type = nullable_type(cursor)
    if cursor.token.kind is not Kind.END:
        cursor.unexpected("the end of the type")
    return type


def _statements(cursor: Cursor) -> Iterator[Statement]:
    while cursor.token.kind is not Kind.END:
        if cursor.accept(";"):
            continue
        yield _statement(cursor)
        _end(cursor)


def parse_statement(text: str) -> Statement:
    """The only statement of a text.

    Raises:
        UserError: as parse_script; SYNTAX also if there is none or more than one.
    """
    statements = parse_script(text)
    if len(statements) != 1:
        found = "no statement" if not statements else f"{len(statements)} statements"
        where = statements[1].position if statements else None
        hint = "Give one statement, or run all of them as a script."
        raise UserError(
            "SYNTAX", f"expected one statement, found {found}", hint=hint, position=where
        )
    return statements[0]


def _end(cursor: Cursor) -> None:
    """Takes the ``;`` after a statement; the last statement may lack it."""
    if cursor.accept(";") or cursor.token.kind is Kind.END:
        return
    hint = ""
    if cursor.at_any("UNION", "INTERSECT", "EXCEPT"):
        hint = "Put the query before it in parentheses: it ends with ORDER BY or LIMIT."
    elif cursor.token.upper in (*_RULES, "SELECT"):
        hint = "Is the ';' of the statement before it missing?"
    elif cursor.token.kind in (Kind.WORD, Kind.QUOTED, Kind.STRING, Kind.NUMBER):
        hint = "Is a comma or an operator missing before it?"
    cursor.unexpected("the end of the statement", hint)


def _statement(cursor: Cursor) -> Statement:
    start = cursor.token
    if start.upper == "(" or start.upper in ("SELECT", "WITH", "VALUES", "TABLE"):
        tree = cursor.query()
        return Query(query=tree, position=cursor.span(start))
    rule = _RULES.get(start.upper) if start.kind is Kind.WORD else None
    if rule is not None:
        return rule(cursor)
    if start.upper in _UNSUPPORTED and start.kind is Kind.WORD:
        cursor.advance()
        cursor.unsupported(start.upper, start, _UNSUPPORTED[start.upper])
    known = sorted({*_RULES, "SELECT"})
    close = difflib.get_close_matches(start.upper, known, n=1, cutoff=0.7)
    hint = f"Did you mean '{close[0]}'?" if close else f"Known: {', '.join(known)}."
    return cursor.unexpected("a statement such as SELECT, INSERT, CREATE or SET", hint)


def _insert(cursor: Cursor) -> Insert:
    """``INSERT INTO | OVERWRITE table [/*+ hint */] [PARTITION (...)] [(columns)] query``."""
    start = cursor.advance()
    overwrite = cursor.accept("OVERWRITE")
    if not overwrite:
        cursor.expect("INTO")
    table = table_name(cursor)
    options = hint(cursor)
    partition: tuple[tuple[str, exp.Expr], ...] = ()
    if cursor.accept("PARTITION"):
        partition = tuple(cursor.wrapped(lambda: cursor.separated(lambda: _partition(cursor))))
    following = cursor.peek().upper
    columns: tuple[str, ...] = ()
    if cursor.at("(") and following not in ("SELECT", "WITH", "VALUES", "("):
        columns = names(cursor)
    tree = cursor.query()
    return Insert(
        table=table,
        hint=options,
        columns=columns,
        partition=partition,
        query=tree,
        overwrite=overwrite,
        position=cursor.span(start),
    )


def _partition(cursor: Cursor) -> tuple[str, exp.Expr]:
    name = cursor.name("a column name")
    if cursor.at_any(",", ")"):
        hint = f"Write PARTITION ({name} = value)."
        cursor.unexpected(f"'=' and the value of '{name}'", hint)
    cursor.expect("=")
    return name, cursor.expression()


def _execute(cursor: Cursor) -> Statement:
    """``EXECUTE STATEMENT SET BEGIN ... END``, or EXECUTE before a single statement."""
    start = cursor.advance()
    if cursor.at("STATEMENT", "SET"):
        return _statement_set(cursor, start)
    if cursor.at("PLAN"):
        cursor.advance()
        cursor.unsupported("EXECUTE PLAN", start, "Run the script itself.")
    if not cursor.at_any("INSERT", "SELECT", "WITH", "VALUES", "("):
        cursor.unexpected("STATEMENT SET, INSERT or a query")
    return _statement(cursor)


def _statement_set(cursor: Cursor, start: Token) -> StatementSet:
    cursor.expect("STATEMENT", "SET", "BEGIN")
    return _inserts(cursor, start)


def _begin(cursor: Cursor) -> StatementSet:
    """``BEGIN STATEMENT SET; ... END``."""
    start = cursor.advance()
    cursor.expect("STATEMENT", "SET")
    cursor.expect(";")
    return _inserts(cursor, start)


def _inserts(cursor: Cursor, start: Token) -> StatementSet:
    inserts = []
    where = cursor.position_of(start)
    hint = f"The statement set of line {where.line} is closed with END."
    while not cursor.accept("END"):
        if cursor.accept(";"):
            continue
        cursor.accept("EXECUTE")
        if not cursor.at("INSERT"):
            cursor.unexpected("INSERT or END", hint)
        inserts.append(_insert(cursor))
        if not cursor.accept(";"):
            cursor.unexpected("';'", f"{hint} Each INSERT in it ends with ';'.")
    if not inserts:
        raise UserError(
            "SYNTAX",
            "the statement set is empty",
            hint="Put INSERTs between BEGIN and END.",
            position=cursor.span(start),
        )
    return StatementSet(inserts=tuple(inserts), position=cursor.span(start))


def _explain(cursor: Cursor) -> Explain:
    """``EXPLAIN [PLAN FOR | details] statement``."""
    start = cursor.advance()
    if not cursor.accept("PLAN", "FOR") and cursor.at_any(*_EXPLAIN_DETAILS):
        cursor.separated(lambda: _detail(cursor))
    if at_end(cursor):
        cursor.unexpected("the statement to explain")
    if cursor.at("STATEMENT"):
        inserts = _statement_set(cursor, cursor.token)
        return Explain(statement=inserts, position=cursor.span(start))
    return Explain(statement=_statement(cursor), position=cursor.span(start))


def _detail(cursor: Cursor) -> None:
    if not cursor.at_any(*_EXPLAIN_DETAILS):
        cursor.unexpected("one of " + ", ".join(_EXPLAIN_DETAILS))
    cursor.advance()


_RULES: dict[str, Callable[[Cursor], Statement]] = {
    "BEGIN": _begin,
    "CREATE": create,
    "DESC": describe,
    "DESCRIBE": describe,
    "DROP": drop,
    "EXECUTE": _execute,
    "EXPLAIN": _explain,
    "INSERT": _insert,
    "RESET": reset_option,
    "SET": set_option,
    "SHOW": show,
    "USE": use,
}
