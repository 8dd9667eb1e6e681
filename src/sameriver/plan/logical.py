"""Logical plan: what the query means. Small frozen nodes; every node knows its schema."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.common.schema import Field, Schema
from sameriver.plan.expressions import AggregateCall, Expression, Named, SortKey
from sameriver.plan.table import Table
from sameriver.plan.window import Window, WindowProperty


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """All columns of a table, computed ones and watermark included.

    ``options`` holds ``OPTIONS`` hints; ``alias`` the name it goes by in its query block.
    """

    table: Table
    options: tuple[tuple[str, str], ...] = ()
    alias: str | None = None
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Literal rows."""

    rows: tuple[tuple[Expression, ...], ...]
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    input: Logical
    columns: tuple[Named, ...]

    @property
    def schema(self) -> Schema:
        return Schema(tuple(Field(c.name, c.expression.type) for c in self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    input: Logical
    condition: Expression

    @property
    def schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """GROUP BY; also SELECT DISTINCT (no calls).

    ``keys`` are input columns. ``sets`` holds GROUPING SETS as tuples of key names; None for a
    plain GROUP BY. ``grouping`` names output columns that hold GROUPING / GROUPING_ID values.
    Schema: keys (nullable where a set leaves one out), then calls.
    ``ttl_hint`` is the duration text of a STATE_TTL hint that applies.
    """

    input: Logical
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    sets: tuple[tuple[str, ...], ...] | None = None
    ttl_hint: str | None = None
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTable:
    """``TABLE(TUMBLE(...))``: the input and window_start, window_end, window_time."""

    input: Logical
    window: Window
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWindow:
    """Legacy ``GROUP BY k, TUMBLE(ts, ...)``. Schema: keys, calls, properties."""

    input: Logical
    window: Window
    keys: tuple[str, ...]
    calls: tuple[AggregateCall, ...]
    properties: tuple[tuple[str, WindowProperty], ...]
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """UNION ALL; columns by position, under the names of ``schema``."""

    inputs: tuple[Logical, ...]
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """ORDER BY and/or LIMIT/OFFSET."""

    input: Logical
    keys: tuple[SortKey, ...]
    limit: int | None = None
    offset: int = 0

    @property
    def schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """``INSERT INTO table``: the root of a query that writes.

    The input has the table's physical columns, in order, cast to their types.
    """

    input: Logical
    table: Table

    @property
    def schema(self) -> Schema:
        return self.input.schema


Logical = (
    Scan | Values | Project | Filter | Aggregate | WindowTable | GroupWindow | Union | Sort | Insert
)


def inputs(node: Logical) -> tuple[Logical, ...]:
    """The nodes below, left to right."""
    match node:
        case Scan() | Values():
            return ()
        case Union():
            return node.inputs
        case _:
            return (node.input,)
