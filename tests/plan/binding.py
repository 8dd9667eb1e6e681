"""Helpers: binds a script as the session would."""

from __future__ import annotations

from sameriver.common.config import Config
from sameriver.plan.bind import bind_create_as, bind_insert, bind_query, bind_table, bind_view
from sameriver.plan.catalog import Catalog
from sameriver.plan.logical import Logical
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable, CreateView, Insert, Query, SetOption

DDL = """
CREATE TABLE Orders (
  id BIGINT, k STRING, qty INT, price DECIMAL(10, 2), d DOUBLE, dt DATE, ts TIMESTAMP(3),
  r ROW<a INT, b ROW<c STRING, arr ARRAY<INT>>>, m MAP<STRING, INT>, arr ARRAY<STRING>,
  proc AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'case');
CREATE TABLE Other (k STRING NOT NULL, n BIGINT, lt TIMESTAMP_LTZ(3), WATERMARK FOR lt AS lt);
CREATE TABLE Sink (k STRING, n BIGINT NOT NULL, p DECIMAL(20, 4)) PARTITIONED BY (k);
"""
"""Tables that the tests query."""


def bind(script: str, catalog: Catalog | None = None) -> Logical:
    """The plan of the last statement that has one."""
    catalog = catalog or Catalog()
    config = Config()
    plan: Logical | None = None
    for statement in parse_script(script):
        match statement:
            case CreateTable(query=None):
                table = bind_table(statement, catalog, config)
                catalog.add(statement.name.parts, table, position=statement.name.position)
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


def columns(query: str) -> list[str]:
    """``name TYPE`` of each result column of a statement over the tables of DDL."""
    return [f"{field.name} {field.type}" for field in bind(f"{DDL}{query};").schema]


def types(query: str) -> list[str]:
    """The types alone."""
    return [str(field.type) for field in bind(f"{DDL}{query};").schema]
