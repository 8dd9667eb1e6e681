"""How a function states its types and its kernel; one small entry a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.types import DataType

WATERMARK = "$watermark"
"""Column (BIGINT) with the watermark in force at each row, in ms; NULL before the first one."""
UNKNOWN = object()
"""Value of an operand that is not a literal."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument as a signature sees it: its type, and its value if it is a literal."""

    type: DataType
    value: object = UNKNOWN

    @property
    def is_literal(self) -> bool:
        return self.value is not UNKNOWN


@dataclass(frozen=True, slots=True)
class Resolved:
    """A call with its types settled: the arguments are cast to ``parameters`` first.

    With ``attempt`` an argument that can't be cast is NULL, not a failure.
    """

    parameters: tuple[DataType, ...]
    result: DataType
    attempt: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a kernel may know besides its columns.

    Attributes:
        operands: types and literal values of the arguments, after implicit casts.
        result: the call's type.
        zone: ``table.local-time-zone``.
        now: name of a column (Datetime ms, UTC) that holds the processing time of the batch.
    """

    operands: tuple[Operand, ...]
    result: DataType
    zone: ZoneInfo
    now: str


Infer = Callable[[Sequence[Operand]], Resolved]
Kernel = Callable[[Evaluation, Sequence[pl.Expr]], pl.Expr]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarFunction:
    """A scalar function.

    Attributes:
        name: upper case, as Flink prints it (``SUBSTRING``, ``+``, ``IS NULL``).
        infer: checks operands and settles types; raises UserError (WRONG_ARGUMENTS).
        kernel: builds the Polars expression.
        deterministic: False for RAND(), CURRENT_TIMESTAMP and their like.
        fallible: whether a value can fail the job; such a call is NULL in, NULL out, and sees NULL
            where its result is not asked for (an untaken branch of CASE).
        aliases: other names for the same function.
        digest: of the source of a function of the user's; else empty.
    """

    name: str
    infer: Infer
    kernel: Kernel
    deterministic: bool = True
    fallible: bool = False
    aliases: tuple[str, ...] = field(default=())
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateFunction:
    """An aggregate function; operators/accumulators knows how to run it, by name."""

    name: str
    infer: Infer
    aliases: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class TableResolved:
    """A call of a table function with its types settled: parameters, and the columns it gives."""

    parameters: tuple[DataType, ...]
    columns: tuple[tuple[str, DataType], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Expanded:
    """What a table function gives for a batch.

    Attributes:
        counts: how many rows it gives for each row of the batch (int64).
        rows: all of them, in order; columns by position.
    """

    counts: np.ndarray
    rows: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFunction:
    """A function that gives rows for a row.

    Attributes:
        name: as plans print it.
        infer: checks operands and settles types; raises UserError (WRONG_ARGUMENTS).
        expand: takes arguments, their types, and the number of rows.
        deterministic: whether the same arguments always give the same rows.
        digest: of the source of a function of the user's; else empty.
    """

    name: str
    infer: Callable[[Sequence[Operand]], TableResolved]
    expand: Callable[[Sequence[pl.Series], Sequence[DataType], int], Expanded]
    deterministic: bool = True
    digest: str = ""
