"""SQL types, named and printed as Flink names and prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Literal

import polars as pl

from sameriver.common.dataclass import dataclass


class Root(Enum):
    """The family of a type; the value is the SQL word."""

    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INT = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BINARY = "BINARY"
    VARBINARY = "VARBINARY"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_LTZ = "TIMESTAMP_LTZ"
    INTERVAL_YEAR_MONTH = "INTERVAL YEAR TO MONTH"
    INTERVAL_DAY_TIME = "INTERVAL DAY TO SECOND"
    ARRAY = "ARRAY"
    MAP = "MAP"
    MULTISET = "MULTISET"
    ROW = "ROW"
    STRUCTURED = "STRUCTURED"
    BITMAP = "BITMAP"
    VARIANT = "VARIANT"
    NULL = "NULL"
    DESCRIPTOR = "DESCRIPTOR"


class TimeAttribute(Enum):
    """Whether a column carries the stream's time; lost by any computation on it."""

    ROWTIME = "ROWTIME"
    PROCTIME = "PROCTIME"


MAX_LENGTH = 2**31 - 1
"""Length of STRING and BYTES."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataType:
    """A SQL type: value-equal, hashable, nullable unless said otherwise.

    Attributes:
        root: the family.
        nullable: whether NULL is a value of the type.
        precision: characters (CHAR, VARCHAR), bytes (BINARY, VARBINARY), digits (DECIMAL) or
            digits of a second (TIME, TIMESTAMP, TIMESTAMP_LTZ).
        scale: digits after the point (DECIMAL).
        children: element (ARRAY, MULTISET), key and value (MAP), fields (ROW, STRUCTURED).
        names: field names (ROW, STRUCTURED).
        class_name: what a STRUCTURED is called.
        attribute: set on time attributes.
    """

    root: Root
    nullable: bool = True
    precision: int | None = None
    scale: int | None = None
    children: tuple[DataType, ...] = ()
    names: tuple[str, ...] = ()
    class_name: str = ""
    attribute: TimeAttribute | None = None

    def __str__(self) -> str:
        text = self.name if self.nullable else f"{self.name} NOT NULL"
        return text if self.attribute is None else f"{text} *{self.attribute.value}*"

    @property
    def name(self) -> str:
        """The type's SQL text without nullability or time attribute."""
        match self.root:
            case Root.VARCHAR if self.precision == MAX_LENGTH:
                return "STRING"
            case Root.VARBINARY if self.precision == MAX_LENGTH:
                return "BYTES"
            case Root.DECIMAL:
                return f"DECIMAL({self.precision}, {self.scale})"
            case Root.ARRAY | Root.MULTISET | Root.MAP:
                inner = ", ".join(str(child) for child in self.children)
                return f"{self.root.value}<{inner}>"
            case Root.ROW | Root.STRUCTURED:
                pairs = zip(self.names, self.children, strict=True)
                parts = [f"`{n}` {t}" for n, t in pairs]
                if self.root is Root.STRUCTURED:
                    parts = ["'" + self.class_name.replace("'", "''") + "'", *parts]
                return f"{self.root.value}<{', '.join(parts)}>"
            case _ if self.precision is not None:
                return f"{self.root.value}({self.precision})"
        return str(self.root.value)

    def with_nullable(self, nullable: bool) -> DataType:
        """The same type, nullable or not."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)

    @property
    def not_null(self) -> DataType:
        return self.with_nullable(False)

    @property
    def plain(self) -> DataType:
        """The same type without its time attribute."""
        return replace(self, attribute=None) if self.attribute else self


def roots(type: DataType) -> Iterator[Root]:
    """The root of a type, and those of the types inside it."""
    yield type.root
    for child in type.children:
        yield from roots(child)


BOOLEAN = DataType(root=Root.BOOLEAN)
TINYINT = DataType(root=Root.TINYINT)
SMALLINT = DataType(root=Root.SMALLINT)
INT = DataType(root=Root.INT)
BIGINT = DataType(root=Root.BIGINT)
FLOAT = DataType(root=Root.FLOAT)
DOUBLE = DataType(root=Root.DOUBLE)
DATE = DataType(root=Root.DATE)
STRING = DataType(root=Root.VARCHAR, precision=MAX_LENGTH)
BYTES = DataType(root=Root.VARBINARY, precision=MAX_LENGTH)
BITMAP = DataType(root=Root.BITMAP)
VARIANT = DataType(root=Root.VARIANT)
NULL = DataType(root=Root.NULL)
INTERVAL_YEAR_MONTH = DataType(root=Root.INTERVAL_YEAR_MONTH)
INTERVAL_DAY_TIME = DataType(root=Root.INTERVAL_DAY_TIME)
ROWTIME = DataType(root=Root.TIMESTAMP, precision=3, attribute=TimeAttribute.ROWTIME)
ROWTIME_LTZ = DataType(root=Root.TIMESTAMP_LTZ, precision=3, attribute=TimeAttribute.ROWTIME)
PROCTIME = DataType(
    root=Root.TIMESTAMP_LTZ, precision=3, nullable=False, attribute=TimeAttribute.PROCTIME
)


def char(length: int) -> DataType:
    return DataType(root=Root.CHAR, precision=length)


def varchar(length: int) -> DataType:
    return DataType(root=Root.VARCHAR, precision=length)


def binary(length: int) -> DataType:
    return DataType(root=Root.BINARY, precision=length)


def varbinary(length: int) -> DataType:
    return DataType(root=Root.VARBINARY, precision=length)


def decimal(precision: int, scale: int) -> DataType:
    return DataType(root=Root.DECIMAL, precision=precision, scale=scale)


def time(precision: int = 0) -> DataType:
    return DataType(root=Root.TIME, precision=precision)


def timestamp(precision: int = 6) -> DataType:
    return DataType(root=Root.TIMESTAMP, precision=precision)


def timestamp_ltz(precision: int = 6) -> DataType:
    return DataType(root=Root.TIMESTAMP_LTZ, precision=precision)


def array(element: DataType) -> DataType:
    return DataType(root=Root.ARRAY, children=(element,))


def map_of(key: DataType, value: DataType) -> DataType:
    return DataType(root=Root.MAP, children=(key, value))


def multiset(element: DataType) -> DataType:
    return DataType(root=Root.MULTISET, children=(element,))


def row(fields: Iterable[tuple[str, DataType]]) -> DataType:
    pairs = tuple(fields)
    return DataType(
        root=Root.ROW, names=tuple(n for n, _ in pairs), children=tuple(t for _, t in pairs)
    )


def structured(class_name: str, fields: Iterable[tuple[str, DataType]]) -> DataType:
    return replace(row(fields), root=Root.STRUCTURED, class_name=class_name)


INTEGERS = (Root.TINYINT, Root.SMALLINT, Root.INT, Root.BIGINT)
APPROXIMATE = (Root.FLOAT, Root.DOUBLE)
NUMERIC = (*INTEGERS, Root.DECIMAL, *APPROXIMATE)
CHARACTERS = (Root.CHAR, Root.VARCHAR)
BINARIES = (Root.BINARY, Root.VARBINARY)
TIMESTAMPS = (Root.TIMESTAMP, Root.TIMESTAMP_LTZ)
INTERVALS = (Root.INTERVAL_YEAR_MONTH, Root.INTERVAL_DAY_TIME)
FIELDED = (Root.ROW, Root.STRUCTURED)
UNORDERED = (Root.ARRAY, Root.MAP, Root.MULTISET, *FIELDED, Root.BITMAP, Root.VARIANT)
"""Types without an order, though their values may be equal."""

_POLARS: dict[Root, pl.DataType | type[pl.DataType]] = {
    Root.BOOLEAN: pl.Boolean,
    Root.TINYINT: pl.Int8,
    Root.SMALLINT: pl.Int16,
    Root.INT: pl.Int32,
    Root.BIGINT: pl.Int64,
    Root.FLOAT: pl.Float32,
    Root.DOUBLE: pl.Float64,
    Root.CHAR: pl.String,
    Root.VARCHAR: pl.String,
    Root.BINARY: pl.Binary,
    Root.VARBINARY: pl.Binary,
    Root.DATE: pl.Date,
    Root.TIME: pl.Time,
    Root.INTERVAL_YEAR_MONTH: pl.Int32,
    Root.INTERVAL_DAY_TIME: pl.Duration("ms"),
    Root.BITMAP: pl.List(pl.UInt32),
    Root.VARIANT: pl.String,
    Root.NULL: pl.Null,
}


def to_polars(type: DataType) -> pl.DataType | type[pl.DataType]:
    """The column type that holds values of ``type``.

    TIMESTAMP(p) is a naive Datetime in ms (p <= 3), us (p <= 6) or ns; TIMESTAMP_LTZ the same in
    UTC; INTERVAL YEAR TO MONTH counts months (Int32), INTERVAL DAY TO SECOND is a Duration in ms;
    MAP<k, v> is List(Struct{key, value}); MULTISET<t> is List(Struct{key, value: Int32}); BITMAP is
    a List(UInt32), rising and without repeats; VARIANT is JSON text in its shortest form, names in
    order.
    """
    match type.root:
        case Root.DECIMAL:
            return pl.Decimal(type.precision, type.scale or 0)
        case Root.TIMESTAMP:
            return pl.Datetime(time_unit(type))
        case Root.TIMESTAMP_LTZ:
            return pl.Datetime(time_unit(type), "UTC")
        case Root.ARRAY:
            return pl.List(to_polars(type.children[0]))
        case Root.MAP:
            key, value = type.children
            return pl.List(pl.Struct({"key": to_polars(key), "value": to_polars(value)}))
        case Root.MULTISET:
            return pl.List(pl.Struct({"key": to_polars(type.children[0]), "value": pl.Int32}))
        case Root.ROW | Root.STRUCTURED:
            pairs = zip(type.names, type.children, strict=True)
            return pl.Struct({name: to_polars(child) for name, child in pairs})
    return _POLARS[type.root]


def time_unit(type: DataType) -> Literal["ms", "us", "ns"]:
    """Unit in which a timestamp of this precision is held."""
    precision = 6 if type.precision is None else type.precision
    return "ms" if precision <= 3 else "us" if precision <= 6 else "ns"
