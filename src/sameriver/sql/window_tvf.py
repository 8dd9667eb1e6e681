"""Windowing table functions: TUMBLE, HOP, CUMULATE, SESSION."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.errors import UserError, nearest
from sameriver.sql.cursor import Cursor
from sameriver.sql.nodes import Arguments, WindowTvf
from sameriver.sql.tokens import Token

WINDOWS = {
    "TUMBLE": ("SIZE", "OFFSET"),
    "HOP": ("SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("STEP", "SIZE", "OFFSET"),
    "SESSION": ("GAP",),
}
"""The intervals of each function, in order of position."""


def window_tvf(cursor: Cursor) -> WindowTvf:
    """``TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL ...)``, or with named arguments.

    Raises:
        UserError: SYNTAX, or BAD_WINDOW for arguments that the function does not have or needs.
    """
    start = cursor.advance()
    opening = cursor.token
    cursor.expect("(")
    node = WindowTvf(kind=start.upper, arguments=Arguments())
    place = 0
    while True:
        name = _name(cursor) or _position_name(cursor, start, place)
        _argument(cursor, node, name)
        place += 1
        if not cursor.accept(","):
            break
    cursor.close(opening)
    cursor.mark(node, start)
    _check(cursor, node, start)
    return node


def _name(cursor: Cursor) -> str | None:
    if cursor.peek().upper != "=>":
        return None
    name = cursor.advance().text.upper()
    cursor.advance()
    return name


def _position_name(cursor: Cursor, start: Token, place: int) -> str:
    names = ("DATA", "TIMECOL", *WINDOWS[start.upper])
    if place >= len(names):
        _wrong(
            cursor, cursor.token, f"{start.upper} has at most {len(names)} arguments", start.upper
        )
    return names[place]


def _argument(cursor: Cursor, node: WindowTvf, name: str) -> None:
    kind = str(node.args["kind"])
    token = cursor.token
    arguments = node.args["arguments"]
    if name == "DATA" and "input" not in node.args:
        node.set("input", _input(cursor))
        if cursor.accept("PARTITION"):
            cursor.expect("BY")
            node.set("partition", _partition(cursor))
    elif name == "TIMECOL" and "time" not in node.args:
        node.set("time", _descriptor(cursor))
    elif name in WINDOWS[kind] and name not in arguments:
        arguments[name] = cursor.expression()
    elif name in ("DATA", "TIMECOL", *WINDOWS[kind]):
        _wrong(cursor, token, f"argument '{name}' is given twice", kind)
    else:
        known = ("DATA", "TIMECOL", *WINDOWS[kind])
        message = f"{kind} has no argument '{name}'. {nearest(name, known)}"
        _wrong(cursor, token, message, kind)


def _input(cursor: Cursor) -> exp.Expr:
    start = cursor.token
    if cursor.at("("):
        cursor.advance()
        node: exp.Expr = exp.Subquery(this=cursor.query())
        cursor.close(start)
        return cursor.mark(node, start)
    if not cursor.accept("TABLE"):
        if not cursor.at_name():
            cursor.unexpected("TABLE and a table name, or a query in parentheses")
        name = cursor.token.text
        cursor.unexpected("TABLE before the name of the table", f"Write TABLE {name}.")
    if cursor.at("("):
        opening = cursor.advance()
        node = exp.Subquery(this=cursor.query())
        cursor.close(opening)
        return cursor.mark(node, start)
    start = cursor.token
    parts = cursor.parts("a table name")
    node = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))
    return cursor.mark(node, start)


def _partition(cursor: Cursor) -> list[exp.Expr]:
    """Columns up to the next argument; a comma goes on with a column unless DESCRIPTOR follows."""
    if cursor.at("("):
        return cursor.wrapped(lambda: cursor.separated(cursor.expression))
    columns = [cursor.expression()]
    while cursor.at(",") and cursor.peek().upper != "DESCRIPTOR" and cursor.peek(2).upper != "=>":
        cursor.advance()
        columns.append(cursor.expression())
    return columns


def _descriptor(cursor: Cursor) -> exp.Column:
    if not cursor.at("DESCRIPTOR", "("):
        name = cursor.token.text if cursor.at_name() else "ts"
        cursor.unexpected("DESCRIPTOR and the time column", f"Write DESCRIPTOR({name}).")
    cursor.advance()
    return cursor.wrapped(lambda: exp.Column(this=cursor.identifier("the time column")))


def _check(cursor: Cursor, node: WindowTvf, start: Token) -> None:
    kind = str(node.args["kind"])
    missing = [
        name for name, key in (("DATA", "input"), ("TIMECOL", "time")) if key not in node.args
    ]
    needed = [name for name in WINDOWS[kind] if name != "OFFSET"]
    missing += [name for name in needed if name not in node.args["arguments"]]
    if missing:
        _wrong(cursor, start, f"{kind} lacks its argument {missing[0]}", kind)
    if node.args.get("partition") and kind != "SESSION":
        hint = "Only SESSION takes PARTITION BY; elsewhere name the columns in GROUP BY."
        where = cursor.position_of(start)
        raise UserError("BAD_WINDOW", f"{kind} takes no PARTITION BY", hint=hint, position=where)


def _wrong(cursor: Cursor, token: Token, message: str, kind: str) -> None:
    last = "".join(f", {name} => INTERVAL '...' ..." for name in WINDOWS[kind] if name != "OFFSET")
    hint = f"Write {kind}(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts){last})."
    raise UserError("BAD_WINDOW", message, hint=hint, position=cursor.position_of(token))
