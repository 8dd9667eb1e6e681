"""Trees of the parser -> typed logical plans, by Flink's rules of names, types and NULL."""

from __future__ import annotations

from sameriver.plan.bind.create_as import bind_create_as
from sameriver.plan.bind.create_table import bind_table
from sameriver.plan.bind.insert import bind_insert
from sameriver.plan.bind.query import bind_query, bind_view

__all__ = ["bind_create_as", "bind_insert", "bind_query", "bind_table", "bind_view"]
