"""Tables and views as DDL, and what DESCRIBE tells about columns."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.plan.catalog import Catalog, View
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.table import Table
from sameriver.session.frames import quoted
from sameriver.sql.statements import Name


def extras(table: Table) -> dict[str, str]:
    """What a column is besides its type: computed, or metadata."""
    said = dict(table.said)
    found = {c.name: f"AS {_text(said.get(c.name, ''), c.expression)}" for c in table.computed}
    for column in table.metadata:
        virtual = " VIRTUAL" if column.virtual else ""
        key = "" if column.key == column.name else f" FROM '{column.key}'"
        found[column.name] = f"METADATA{key}{virtual}"
    return found


def watermark_text(table: Table) -> str:
    """The expression of the watermark; empty without one."""
    spec = table.watermark
    if spec is None:
        return ""
    return "SOURCE_WATERMARK()" if spec.expression is None else _text(spec.said, spec.expression)


def _text(said: str, expression: Expression) -> str:
    """As the script says it; of a table that no script declares, by its meaning."""
    return said or to_sql(expression)


def ddl(kind: str, name: Name, catalog: Catalog) -> str:
    """The statement that makes a TABLE or VIEW again.

    Raises:
        UserError: UNKNOWN_TABLE; WRONG_KIND if it is of the other kind.
    """
    item = catalog.get(name.parts, name.position)
    actual = "VIEW" if isinstance(item, View) else "TABLE"
    if actual != kind:
        raise UserError(
            "WRONG_KIND",
            f"'{name}' is a {actual.lower()}, not a {kind.lower()}",
            hint=f"Write SHOW CREATE {actual} {name}.",
            position=name.position,
        )
    path = ".".join(map(quoted, catalog.path(name.parts)))
    return _view(item, path) if isinstance(item, View) else _table(item, path)


def _view(view: View, path: str) -> str:
    columns = ",\n".join(f"  {quoted(field)}" for field in view.schema.names)
    text = f"CREATE VIEW {path} (\n{columns}\n)\n"
    if view.comment:
        text += f"COMMENT {_quote(view.comment)}\n"
    return f"{text}AS {view.said}"


def _table(table: Table, path: str) -> str:
    lines = [_column(table, field.name, str(field.type.plain)) for field in table.schema]
    if table.watermark is not None:
        lines.append(f"WATERMARK FOR {quoted(table.watermark.column)} AS {watermark_text(table)}")
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))}) NOT ENFORCED")
    body = ",\n".join(f"  {line}" for line in lines)
    text = f"CREATE TABLE {path} (\n{body}\n)\n"
    if table.comment:
        text += f"COMMENT {_quote(table.comment)}\n"
    if table.partitioned_by:
        text += f"PARTITIONED BY ({', '.join(map(quoted, table.partitioned_by))})\n"
    options = ",\n".join(f"  {_quote(k)} = {_quote(v)}" for k, v in sorted(table.options.items()))
    return f"{text}WITH (\n{options}\n)" if options else text.rstrip()


def _column(table: Table, name: str, type: str) -> str:
    extra, comment = extras(table).get(name, ""), dict(table.comments).get(name)
    parts = [quoted(name), *([] if extra.startswith("AS ") else [type]), extra]
    if comment is not None:
        parts.append(f"COMMENT {_quote(comment)}")
    return " ".join(filter(None, parts))


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
