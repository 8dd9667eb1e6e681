"""Helpers: binds a script as the session would."""

from __future__ import annotations

from sameriver.common.config import Config
from sameriver.common.types import DataType
from sameriver.plan.bind import bind_create_as, bind_insert, bind_query, bind_table, bind_view
from sameriver.plan.catalog import Catalog
from sameriver.plan.logical import Logical
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable, CreateView, Insert, Query, SetOption


def bind(script: str, catalog: Catalog | None = None) -> Logical:
    """The plan of the last statement that has one."""
    catalog = catalog or Catalog()
    config = Config()
    plan: Logical | None = None
    for statement in parse_script(script):
        match statement:
            case CreateTable(query=None):
                catalog.add(statement.name.parts, bind_table(statement, catalog, config))
            case CreateTable():
                insert = bind_create_as(statement, catalog, config)
                catalog.add(statement.name.parts, insert.table)
                plan = insert
            case CreateView():
                view = bind_view(statement, catalog, config)
                catalog.add(statement.name.parts, view, replace=statement.or_replace)
            case Insert():
                plan = bind_insert(statement, catalog, config)
            case Query():
                plan = bind_query(statement.query, catalog, config)
            case SetOption(key=str() as key, value=str() as value):
                config = config.with_option(key, value)
    assert plan is not None
    return plan


def shown(type: DataType) -> str:
    return str(type)


def columns(script: str) -> list[str]:
    """``name TYPE`` of each result column."""
    return [f"{field.name} {shown(field.type)}" for field in bind(script).schema]
