"""Statements that change or show the catalog and the options; none of them runs a job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from sameriver import functions
from sameriver.common.config import OPTIONS, Config, check_key
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Schema
from sameriver.common.types import BOOLEAN, STRING
from sameriver.plan.catalog import Catalog, Namespace, View
from sameriver.plan.table import Table
from sameriver.session.declared import ddl, extras, watermark_text
from sameriver.sql.statements import Describe, ResetOption, SetOption, Show


@dataclass(frozen=True, slots=True)
class Listing:
    """A small table that a statement gives."""

    schema: Schema
    rows: pl.DataFrame


def listing(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Listing:
    """A listing whose columns are text."""
    schema = Schema.of([(name, STRING) for name in columns])
    return Listing(schema, pl.DataFrame(list(rows), schema=schema.to_polars(), orient="row"))


OK = listing(["result"], [["OK"]])
"""What a statement gives that has nothing to show."""


def set_option(statement: SetOption, config: Config) -> tuple[Config, Listing]:
    """SET: the options with one more, or a list of those that are set.

    Raises:
        UserError: UNKNOWN_OPTION.
    """
    if statement.key is None:
        shown = {**{key: config[key] for key in OPTIONS}, **config}
        return config, listing(["key", "value"], sorted(shown.items()))
    try:
        return config.with_option(statement.key, statement.value or ""), OK
    except UserError as error:
        raise error.at(statement.position) from None


def reset_option(statement: ResetOption, config: Config, initial: Config) -> Config:
    """RESET: back to what the session began with.

    Raises:
        UserError: UNKNOWN_OPTION.
    """
    if statement.key is None:
        return initial
    check_key(statement.key)
    if statement.key in initial:
        return config.with_option(statement.key, initial[statement.key])
    return config.without(statement.key)


def show(statement: Show, catalog: Catalog) -> Listing:
    """SHOW.

    Raises:
        UserError: UNSUPPORTED, UNKNOWN_TABLE.
    """
    everything = _everything(statement, catalog)
    if statement.like is None:
        return everything
    pattern = _regex(statement.like, any_case=statement.any_case)
    named = everything.rows.to_series(0).str.contains(pattern)
    return Listing(everything.schema, everything.rows.filter(named != statement.negated))


def _regex(like: str, *, any_case: bool) -> str:
    """What a LIKE pattern matches: ``%`` any text, ``_`` any character, a backslash escapes."""
    parts = (
        re.escape(part[-1]) if len(part) > 1 else {"%": ".*", "_": "."}.get(part, re.escape(part))
        for part in re.findall(r"\\.|.", like, re.DOTALL)
    )
    return f"(?s{'i' if any_case else ''})^{''.join(parts)}$"


def _everything(statement: Show, catalog: Catalog) -> Listing:
    items = list(catalog.items(_namespace(statement, catalog)))
    match statement.kind:
        case "TABLES":
            return _names("table name", [name for name, _ in items])
        case "VIEWS":
            return _names("view name", [name for name, item in items if isinstance(item, View)])
        case "FUNCTIONS":
            return _names(
                "function name", [*map(str.lower, functions.names()), *catalog.functions()]
            )
        case "USER FUNCTIONS":
            return _names("function name", catalog.functions())
        case "DATABASES":
            return _names("database name", catalog.databases())
        case "CATALOGS":
            return _names("catalog name", catalog.catalogs())
        case "CURRENT CATALOG":
            return _names("current catalog name", [catalog.namespace[0]])
        case "CURRENT DATABASE":
            return _names("current database name", [catalog.namespace[1]])
        case "COLUMNS" if statement.name is not None:
            return describe(Describe(name=statement.name, position=statement.position), catalog)
        case "CREATE TABLE" | "CREATE VIEW" if statement.name is not None:
            return listing(["result"], [[ddl(statement.kind[7:], statement.name, catalog)]])
        case "MODULES":
            return _names("module name", ["core"])
        case "JARS":
            return _names("jars", [])
    kinds = ("TABLES", "VIEWS", "FUNCTIONS", "DATABASES", "CATALOGS", "COLUMNS", "CREATE TABLE")
    raise UserError(
        "UNSUPPORTED",
        f"'SHOW {statement.kind}' is not supported",
        hint=nearest(statement.kind, kinds),
        position=statement.position,
    )


def _namespace(statement: Show, catalog: Catalog) -> Namespace:
    """``FROM [catalog.]database`` of SHOW TABLES and SHOW VIEWS."""
    if statement.kind not in ("TABLES", "VIEWS") or statement.name is None:
        return catalog.namespace
    *prefix, database = statement.name.parts
    name = prefix[-1] if prefix else catalog.namespace[0]
    if name not in catalog.catalogs() or database not in catalog.databases(name):
        raise UserError(
            "UNKNOWN_DATABASE",
            f"there is no database '{statement.name}'",
            hint=nearest(database, catalog.databases()),
            position=statement.position,
        )
    return name, database


def _names(column: str, names: Iterable[str]) -> Listing:
    return listing([column], [[name] for name in sorted(names)])


def describe(statement: Describe, catalog: Catalog) -> Listing:
    """DESCRIBE: name, type, null, key, extras and watermark of each column, and comments if there
    are any, as in Flink.

    Raises:
        UserError: UNKNOWN_TABLE.
    """
    item = catalog.get(statement.name.parts, statement.name.position)
    table = item if isinstance(item, Table) else Table(name="", schema=item.schema, physical=())
    kinds, comments = extras(table), dict(table.comments)
    names = ["name", "type", "null", "key", "extras", "watermark"] + ["comment"] * bool(comments)
    schema = Schema.of([(name, BOOLEAN if name == "null" else STRING) for name in names])
    key = f"PRI({', '.join(table.primary_key)})"
    rows = [
        (
            field.name,
            str(field.type.with_nullable(True)),
            field.type.nullable,
            key if field.name in table.primary_key else None,
            kinds.get(field.name),
            watermark_text(table) if _has_watermark(table, field.name) else None,
            comments.get(field.name),
        )[: len(names)]
        for field in item.schema
    ]
    return Listing(schema, pl.DataFrame(rows, schema=schema.to_polars(), orient="row"))


def _has_watermark(table: Table, column: str) -> bool:
    return table.watermark is not None and table.watermark.column == column
