"""Frames as tables: their SQL types, and the DDL that declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, cast, runtime_checkable

import polars as pl

from sameriver.common import types
from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema
from sameriver.common.types import DataType, Root


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that gives its rows as an Arrow C stream: Polars, pandas, pyarrow, DuckDB..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame = pl.DataFrame | pl.LazyFrame | ArrowStream
"""What can be registered as a table, alone or as an iterator of them."""

Frames = Frame | Iterable[Frame] | Callable[[], Iterable[Frame]]
"""What can be registered: a function is called anew for each query."""

Reading = Callable[[], Iterator[pl.DataFrame]]


def to_frame(data: object) -> pl.DataFrame:
    """A Polars frame of ``data``, without a copy where that can be.

    Raises:
        UserError: NOT_A_FRAME.
    """
    match data:
        case pl.DataFrame():
            return data
        case pl.LazyFrame():
            return data.collect()
        case ArrowStream():
            return _streamed(data)
    raise UserError(
        "NOT_A_FRAME",
        f"a '{type(data).__name__}' is not a frame",
        hint="Register a Polars, pandas or Arrow frame, or an iterator of such frames.",
    )


def _streamed(data: object) -> pl.DataFrame:
    try:
        return pl.DataFrame(cast("pl.DataFrame", data))
    except ImportError as error:
        raise UserError(
            "MISSING_PACKAGE",
            f"a '{type(data).__module__}' frame of these columns can't be read: {error}",
            hint="Install the package 'pyarrow', or register a Polars frame.",
        ) from error


def frames(data: Frames) -> tuple[pl.DataFrame, pl.DataFrame | Reading]:
    """The first frame, and what reads all: any number of times, but an iterator once.

    Raises:
        UserError: NOT_A_FRAME.
    """
    if isinstance(data, pl.DataFrame | pl.LazyFrame | ArrowStream):
        frame = to_frame(data)
        return frame, frame
    if isinstance(data, Iterator):
        head = _first(data)
        return head, _once(_chained(head, data))
    if isinstance(data, Iterable):
        return _first(iter(data)), lambda: map(to_frame, data)
    if callable(data):
        return _first(iter(data())), lambda: map(to_frame, data())
    frame = to_frame(data)
    return frame, frame


def _first(frames: Iterator[Frame]) -> pl.DataFrame:
    first = next(frames, None)
    if first is None:
        raise UserError(
            "NOT_A_FRAME",
            "the iterator gives no frame, so the columns are not known",
            hint="Yield at least one frame; it may have no rows.",
        )
    return to_frame(first)


def _once(frames: Iterator[pl.DataFrame]) -> Reading:
    """Gives the iterator to the first who asks; a second would silently read nothing."""
    left = [frames]

    def read() -> Iterator[pl.DataFrame]:
        if not left:
            raise UserError(
                "FRAMES_SPENT",
                "an iterator of frames is read once, and this one has been",
                hint="Register it anew, or register a list of frames, which any query can read.",
            )
        return left.pop()

    return read


def _chained(first: pl.DataFrame, rest: Iterator[Frame]) -> Iterator[pl.DataFrame]:
    yield first
    for frame in rest:
        yield to_frame(frame)


def schema_of(frame: pl.DataFrame, event_time: str | None) -> Schema:
    """SQL types of the columns; the event time has millisecond precision, as Flink asks.

    Raises:
        UserError: UNSUPPORTED_TYPE, UNKNOWN_COLUMN.
    """
    if event_time is not None and event_time not in frame.columns:
        raise UserError(
            "UNKNOWN_COLUMN",
            f"there is no column '{event_time}' to compute watermarks from",
            hint=nearest(event_time, frame.columns),
        )
    fields = []
    for name, dtype in frame.schema.items():
        type = data_type(name, dtype)
        if name == event_time and type.root in types.TIMESTAMPS:
            type = DataType(root=type.root, precision=3)
        fields.append(Field(name, type))
    return Schema(tuple(fields))


_SIMPLE: dict[type[pl.DataType], DataType] = {
    pl.Boolean: types.BOOLEAN,
    pl.Int8: types.TINYINT,
    pl.Int16: types.SMALLINT,
    pl.Int32: types.INT,
    pl.Int64: types.BIGINT,
    pl.UInt8: types.SMALLINT,
    pl.UInt16: types.INT,
    pl.UInt32: types.BIGINT,
    pl.UInt64: types.decimal(20, 0),
    pl.Float32: types.FLOAT,
    pl.Float64: types.DOUBLE,
    pl.String: types.STRING,
    pl.Categorical: types.STRING,
    pl.Enum: types.STRING,
    pl.Binary: types.BYTES,
    pl.Date: types.DATE,
    pl.Time: types.time(9),
    pl.Duration: types.INTERVAL_DAY_TIME,
    pl.Null: types.STRING,
}
_DIGITS = {"ms": 3, "us": 6, "ns": 9}


def data_type(name: str, dtype: pl.DataType) -> DataType:
    """The SQL type that holds a Polars column.

    Raises:
        UserError: UNSUPPORTED_TYPE.
    """
    match dtype:
        case pl.Datetime(time_unit=unit, time_zone=zone):
            root = Root.TIMESTAMP if zone is None else Root.TIMESTAMP_LTZ
            return DataType(root=root, precision=_DIGITS[unit])
        case pl.Decimal(precision=precision, scale=scale):
            return types.decimal(precision or 38, scale)
        case pl.List(inner=inner):
            return types.array(data_type(name, cast("pl.DataType", inner)))
        case pl.Struct(fields=fields):
            pairs = [(f.name, data_type(name, cast("pl.DataType", f.dtype))) for f in fields]
            return types.row(pairs)
    found = _SIMPLE.get(dtype.base_type())
    if found is None:
        raise UserError(
            "UNSUPPORTED_TYPE",
            f"column '{name}' has type {dtype}, which SQL has no type for",
            hint="Cast or drop the column before registering the frame.",
        )
    return found


def quoted(name: str) -> str:
    """An identifier in backticks."""
    return "`" + name.replace("`", "``") + "`"


def create_table(
    name: str,
    schema: Schema,
    options: dict[str, str],
    *,
    watermark: tuple[str, str] | None = None,
    proctime: str | None = None,
    primary_key: Sequence[str] = (),
) -> str:
    """``CREATE TEMPORARY TABLE`` for a frame.

    Args:
        name: of the table.
        schema: its physical columns.
        options: of the WITH clause.
        watermark: event-time column and the SQL of its watermark.
        proctime: name of a processing-time column to add.
        primary_key: columns.
    """
    parts = [f"{quoted(field.name)} {field.type}" for field in schema]
    if proctime is not None:
        parts.append(f"{quoted(proctime)} AS PROCTIME()")
    if watermark is not None:
        parts.append(f"WATERMARK FOR {quoted(watermark[0])} AS {watermark[1]}")
    if primary_key:
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, primary_key))}) NOT ENFORCED")
    pairs = [f"'{_escaped(key)}' = '{_escaped(value)}'" for key, value in options.items()]
    head = f"CREATE TEMPORARY TABLE {quoted(name)}"
    return f"{head} ({', '.join(parts)}) WITH ({', '.join(pairs)})"


def _escaped(text: str) -> str:
    return text.replace("'", "''")
