"""Frames of OVER windows: ``ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`` and their like."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from sameriver.common.errors import UserError
from sameriver.common.types import INTEGERS, INTERVALS
from sameriver.plan.bind.context import Environment
from sameriver.plan.expressions import Literal
from sameriver.plan.logical import Frame
from sameriver.sql.nodes import position


def bind_frame(spec: exp.Expr | None, environment: Environment, *, ordered: bool) -> Frame:
    """A frame as written; by default RANGE up to the current row, all rows without an order.

    Raises:
        UserError: BAD_FRAME.
    """
    if spec is None:
        return Frame(rows=False, preceding=None, following=0 if ordered else None)
    rows = spec.args["kind"] == "ROWS"
    start = _bound(spec, "start", environment, rows=rows)
    end = 0 if spec.args.get("end") is None else _bound(spec, "end", environment, rows=rows)
    if spec.args["start_side"] == "FOLLOWING" and start is None:
        raise _bad(spec, "a frame can't start with UNBOUNDED FOLLOWING")
    if spec.args.get("end_side") == "PRECEDING" and end is None:
        raise _bad(spec, "a frame can't end with UNBOUNDED PRECEDING")
    if start is not None and end is not None and start > end:
        raise _bad(spec, "the frame ends before it starts")
    return Frame(rows=rows, preceding=None if start is None else -start, following=end)


def _bound(spec: exp.Expr, side: str, environment: Environment, *, rows: bool) -> int | None:
    """Rows or ms from the current row, negative before it; None: unbounded."""
    written = spec.args[side]
    if written == "CURRENT ROW":
        return 0
    if written == "UNBOUNDED":
        return None
    bound = environment.bind(written)
    distance = _distance(bound, rows=rows) if isinstance(bound, Literal) else None
    if distance is None:
        takes = "a whole number, such as 2" if rows else "an interval, such as INTERVAL '1' HOUR,"
        raise _bad(written, f"a bound of {spec.args['kind']} takes {takes} that is not negative")
    return distance if spec.args[f"{side}_side"] == "FOLLOWING" else -distance


def _distance(bound: Literal, *, rows: bool) -> int | None:
    value = bound.value
    if rows and bound.type.root in INTEGERS and isinstance(value, int) and value >= 0:
        return value
    if not rows and bound.type.root in INTERVALS and isinstance(value, timedelta):
        milliseconds = value // timedelta(milliseconds=1)
        return milliseconds if milliseconds >= 0 else None
    return None


def _bad(node: exp.Expr, problem: str) -> UserError:
    return UserError(
        "BAD_FRAME",
        problem,
        hint="Write it like ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or"
        " RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW.",
        position=position(node),
    )
