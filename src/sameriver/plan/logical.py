"""Logical plan: what the query means. Small frozen nodes; every node knows its schema.

``position`` is where the script says it; it plays no part in equality.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.schema import Field, Schema
from sameriver.functions.signature import TableFunction
from sameriver.plan.expressions import AggregateCall, Expression, Named, SortKey, columns
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
    position: Position | None = field(default=None, compare=False, repr=False)


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
    position: Position | None = field(default=None, compare=False, repr=False)

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
    position: Position | None = field(default=None, compare=False, repr=False)

    @property
    def schema(self) -> Schema:
        return self.input.schema


class JoinKind(Enum):
    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A join of two streams.

    Column names of both inputs are disjoint: the binder renames the right ones in a Project.
    Schema: left columns, then right ones, nullable on padded sides; SEMI and ANTI: left only.

    Attributes:
        condition: over the columns of both inputs; None: CROSS.
        null_aware: ANTI of NOT IN: a NULL on the right withdraws everything.
        ttl_hints: duration texts of STATE_TTL / JOIN_STATE_TTL for the left and right side.
    """

    left: Logical
    right: Logical
    kind: JoinKind
    condition: Expression | None = None
    null_aware: bool = False
    ttl_hints: tuple[str | None, str | None] = (None, None)
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalJoin:
    """``left JOIN right FOR SYSTEM_TIME AS OF left.time``; kind INNER or LEFT.

    A rowtime ``time`` reads versions of the right side; a processing time looks rows up.

    Attributes:
        time: a time attribute of the left side; None: PROCTIME().
        processing: whether it is processing time.
        right_time: the event time of versions; None with processing time.
        key: the columns that tell rows of the right side apart; empty: none are known.
    """

    left: Logical
    right: Logical
    kind: JoinKind
    condition: Expression
    time: str | None
    processing: bool
    right_time: str | None
    key: tuple[str, ...]
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Frame:
    """An OVER frame: bounds in rows, or in ms for RANGE; None: unbounded; 0: the current row.

    ``preceding`` counts backward from the current row, ``following`` forward.
    """

    rows: bool
    preceding: int | None
    following: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OverCall:
    """One function over a window; ``call`` may be ROW_NUMBER, RANK, DENSE_RANK, LAG, LEAD, ..."""

    call: AggregateCall
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    frame: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """``f(...) OVER (...)``. Schema: the input's columns, then the calls."""

    input: Logical
    calls: tuple[OverCall, ...]
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """The rows of each partition whose rank by ``order`` is from ``start`` to ``end``.

    What a filter on ROW_NUMBER, RANK or DENSE_RANK over a window means; ``column`` names the rank
    among the output columns, None: it is not one. Schema: columns of
    the input, then the rank.
    """

    input: Logical
    function: str
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int
    column: str | None
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlate:
    """``LATERAL TABLE(f(...))`` or ``UNNEST``; kind INNER or LEFT.

    ``function`` is UNNEST or a table function of the user's. Schema: input columns, then the
    function's.
    """

    input: Logical
    function: TableFunction
    args: tuple[Expression, ...]
    kind: JoinKind
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOperation:
    """INTERSECT or EXCEPT (``kind``), as a multiset with ``all``; columns by position."""

    kind: str
    all: bool
    left: Logical
    right: Logical
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecognize:
    """``MATCH_RECOGNIZE (...)`` with ONE ROW PER MATCH.

    Expressions of ``measures`` and ``define`` read columns ``variable.column`` of the rows that a
    variable of the pattern took, or ``column`` of any row of the match. ``within`` is in ms.
    Schema: the columns of ``partition``, then the measures.
    """

    input: Logical
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    measures: tuple[Named, ...]
    pattern: str
    skip: str
    within: int | None
    define: tuple[Named, ...]
    schema: Schema
    position: Position | None = field(default=None, compare=False, repr=False)

    def reads(self) -> frozenset[str]:
        """The columns of the input that the clause names."""
        keys = {name for key in self.order for name in columns(key.expression)}
        named = {name for one in (*self.measures, *self.define) for name in columns(one.expression)}
        own = self.input.schema.names
        return frozenset(
            {*self.partition, *keys, *(n if n in own else n.partition(".")[2] for n in named)}
        )


Logical = (
    Scan
    | Values
    | Project
    | Filter
    | Aggregate
    | WindowTable
    | GroupWindow
    | Union
    | Sort
    | Insert
    | Join
    | TemporalJoin
    | Over
    | Rank
    | Correlate
    | SetOperation
    | MatchRecognize
)


def inputs(node: Logical) -> tuple[Logical, ...]:
    """The nodes below, left to right."""
    match node:
        case Scan() | Values():
            return ()
        case Union():
            return node.inputs
        case Join() | TemporalJoin() | SetOperation():
            return (node.left, node.right)
        case _:
            return (node.input,)
