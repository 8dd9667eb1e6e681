"""What Apache Flink 2.3.0 answered to ``SELECT expression``: type and value.

``flink_answers.txt`` has a line each: the expression, the type, the value as CAST to STRING
prints it (or ``error``). ``zone`` lines set the session's time zone for what follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from sqlglot import exp

from sameriver.common.config import Config
from sameriver.common.errors import SameriverError
from sameriver.functions import render
from sameriver.operators.compile import NOW, compile_expression
from sameriver.plan.bind import bind_query
from sameriver.plan.catalog import Catalog
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import Project
from sameriver.sql import parse_statement
from sameriver.sql.statements import Query

from .calls import CLOCK, evaluate, over_rows

ANSWERS = Path(__file__).with_name("flink_answers.txt").read_text(encoding="utf-8")


def answers() -> Iterator[tuple[str, str, list[str]]]:
    zone = "UTC"
    for line in ANSWERS.splitlines():
        if line.startswith("zone "):
            zone = line.removeprefix("zone ")
        else:
            expression, *answer = line.split(" => ")
            yield zone, expression, answer


def bound(text: str) -> Expression:
    statement = parse_statement(f"SELECT {text}")
    assert isinstance(statement, Query)
    assert isinstance(statement.query, exp.Expr)
    plan = bind_query(statement.query, Catalog(), Config())
    assert isinstance(plan, Project)
    return plan.columns[0].expression


@pytest.mark.parametrize(("zone", "expression", "answer"), list(answers()))
def test_answer_is_flinks(zone: str, expression: str, answer: list[str]) -> None:
    if answer == ["error"]:
        with pytest.raises(SameriverError):
            evaluate(bound(expression), ZoneInfo(zone))
        return
    call = bound(expression)
    value = evaluate(call, ZoneInfo(zone))
    assert [str(call.type), shown(call, ZoneInfo(zone))] == answer
    assert str(over_rows(call, ZoneInfo(zone))) == str(value)


def shown(call: Expression, zone: ZoneInfo) -> str:
    clock = pl.Series(NOW, [CLOCK], dtype=pl.Datetime("ms", "UTC"))
    text = render.text(compile_expression(call, zone), call.type, zone)
    value = pl.DataFrame(clock).select(text.alias("text"), pl.col(NOW))["text"][0]
    return "NULL" if value is None else str(value)
