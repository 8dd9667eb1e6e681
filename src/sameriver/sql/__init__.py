"""Flink SQL text to statements and query trees."""

from sameriver.sql.nodes import WindowTvf, position
from sameriver.sql.script import parse_script, parse_statement, parse_type
from sameriver.sql.types import data_type

__all__ = ["WindowTvf", "data_type", "parse_script", "parse_statement", "parse_type", "position"]
