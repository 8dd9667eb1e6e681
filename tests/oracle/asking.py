"""What sameriver answers to the questions."""

from __future__ import annotations

import math
import re
from functools import cache
from zoneinfo import ZoneInfo

import polars as pl
from sqlglot import exp

from functions.calls import CLOCK, lifted
from sameriver import Session
from sameriver.common.errors import SameriverError
from sameriver.common.types import BINARIES, STRING, DataType
from sameriver.common.zones import zone_named
from sameriver.functions import render
from sameriver.functions.casts import cast_allowed
from sameriver.functions.failure import EvaluationError
from sameriver.operators.compile import NOW, compile_expression
from sameriver.plan.bind import bind_query
from sameriver.plan.expressions import Expression
from sameriver.plan.logical import Project
from sameriver.sql import parse_statement
from sameriver.sql.statements import Query

from .questions import HERE, Answer, Question, views


@cache
def session(zone: str) -> Session:
    """A session that knows the table of edge values."""
    session = Session({"table.local-time-zone": zone})
    declared = (HERE / "edge.sql").read_text(encoding="utf-8").strip()
    options = f"'connector' = 'filesystem', 'path' = '{HERE / 'edge.jsonl'}', 'format' = 'json'"
    session.execute(f"{declared} WITH ({options});")
    for view in views():
        # Rows that are more than 200 ms apart move the watermark at once in Flink.
        at_once = ") WITH ('scan.watermark.emit.strategy' = 'on-event') LIKE"
        session.execute(view.replace(") LIKE", at_once) + ";")
    return session


@cache
def edge() -> pl.DataFrame:
    """The table of edge values, with a clock."""
    frame = session("UTC").sql("SELECT * FROM edge").to_polars()
    return frame.with_columns(pl.lit(CLOCK).cast(pl.Datetime("ms", "UTC")).alias(NOW))


def answer(question: Question) -> Answer:
    """Type and values of an expression; those of a constant also as a column holds it."""
    try:
        if question.final:
            return _in_the_end(question)
        bound = bind(question)
    except SameriverError:
        return Answer(question, "refused", ())
    if not cast_allowed(bound.type, STRING):
        # Flink shows values as text, so it was asked for a CAST that there is not.
        return Answer(question, "refused", ())
    try:
        return Answer(question, str(bound.type.plain), _values(question, bound))
    except SameriverError:
        return Answer(question, "fails", ())


@cache
def bind(question: Question) -> Expression:
    """The expression as bound.

    Raises:
        SameriverError: it is no valid SQL.
    """
    statement = parse_statement(question.query([question.expression]))
    assert isinstance(statement, Query)
    assert isinstance(statement.query, exp.Expr)
    here = session(question.zone)
    plan = bind_query(statement.query, here.catalog, here.config)
    assert isinstance(plan, Project)
    return plan.columns[0].expression


def _values(question: Question, bound: Expression) -> tuple[str | None, ...]:
    zone = zone_named(question.zone)
    frame = edge() if question.reads_table else edge().head(1)
    result = frame.select(compile_expression(bound, zone).alias("x"), "id")["x"]
    of_values = not (question.reads_table or "TYPEOF" in question.expression.upper())
    values = _shown(result, bound.type, zone)
    if of_values and _over_columns(bound, zone) not in (None, values):
        return ("the value differs over columns",)
    return values


def _over_columns(bound: Expression, zone: ZoneInfo) -> tuple[str | None, ...] | None:
    """The value of a constant whose first literal is a column; None if none can be."""
    columns: dict[str, pl.Series] = {}
    compiled = compile_expression(lifted(bound, columns), zone)
    if not set(compiled.meta.root_names()) & columns.keys():
        return None
    clock = pl.Series(NOW, [CLOCK] * 4, dtype=pl.Datetime("ms", "UTC"))
    result = pl.DataFrame({**columns, NOW: clock}).select(compiled.alias("x"), pl.col(NOW))["x"]
    return _shown(result.head(1), bound.type, zone)


def _in_the_end(question: Question) -> Answer:
    result = session(question.zone).sql(question.query([question.expression]))
    type = next(iter(result.schema)).type.plain
    try:
        rows = result.to_polars()
        rows = rows.sort("k") if question.by else rows
        values = _shown(rows["c0"], type, zone_named(question.zone))
    except EvaluationError:
        return Answer(question, "fails", ())
    return Answer(question, str(type), values)


def _shown(values: pl.Series, type: DataType, zone: ZoneInfo) -> tuple[str | None, ...]:
    column = pl.col(values.name)
    text = column.bin.encode("hex") if type.root in BINARIES else render.text(column, type, zone)
    return tuple(values.to_frame().select(text).to_series().to_list())


_MONTHS = re.compile(r"INTERVAL (YEAR|MONTH)[A-Z0-9() ]*?(?= NOT NULL|[,>]|$)")
_SECONDS = re.compile(r"INTERVAL (DAY|HOUR|MINUTE|SECOND)[A-Z0-9() ]*?(?= NOT NULL|[,>]|$)")


def alike(theirs: Answer, ours: Answer) -> bool:
    """Equal up to the digits of intervals' types, the last bits of DOUBLE, the order of maps."""
    if theirs.type == "fails":
        return ours.type in ("fails", "refused")
    type = _SECONDS.sub("INTERVAL DAY TO SECOND", theirs.type)
    type = _MONTHS.sub("INTERVAL YEAR TO MONTH", type)
    if ours.type != type or len(theirs.values) != len(ours.values):
        return False
    pairs = zip(theirs.values, ours.values, strict=True)
    return all(_same(one, two, type) for one, two in pairs)


def _same(theirs: str | None, ours: str | None, type: str) -> bool:
    if theirs is None or ours is None or theirs == ours:
        return theirs == ours
    if type.startswith(("DOUBLE", "FLOAT")):
        one, two = float(theirs), float(ours)
        step = math.ulp(one) if "DOUBLE" in type else max(abs(one) * 2**-23, 2**-149)
        return bool(one) and abs(one - two) <= 8 * step
    if type.startswith(("MAP", "MULTISET")):
        return sorted(theirs[1:-1].split(", ")) == sorted(ours[1:-1].split(", "))
    return False
