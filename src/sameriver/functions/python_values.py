"""Values of columns as Python functions see them, and back.

A MAP is a dict, a ROW a dict of its fields (a tuple or list in their order is taken too), a
MULTISET a dict of counts; a TIMESTAMP_LTZ is a datetime in UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl

from sameriver.common.types import BIGINT, DataType, Root, to_polars

BAD_VALUE = (
    TypeError,
    ValueError,
    OverflowError,
    KeyError,
    AttributeError,
    pl.exceptions.PolarsError,
)
"""What ``to_column`` raises."""

Convert = Callable[[Any], Any]


def to_values(column: pl.Series, type: DataType) -> list[Any]:
    """The values of a column."""
    values = column.to_list()
    convert = _reader(type)
    if convert is None:
        return values
    return [None if value is None else convert(value) for value in values]


def to_column(values: list[Any], type: DataType) -> pl.Series:
    """A column of values.

    Raises:
        one of ``BAD_VALUE``: a value is not of the type.
    """
    convert = _writer(type)
    if convert is not None:
        values = [None if value is None else convert(value) for value in values]
    return pl.Series("", values, dtype=to_polars(type), strict=True)


def _reader(type: DataType) -> Convert | None:
    """How values of a type are read; None: as they are."""
    match type.root:
        case Root.ARRAY:
            inner = _reader(type.children[0])
            return None if inner is None else lambda value: [_null(inner, one) for one in value]
        case Root.MAP | Root.MULTISET:
            key, count = _pair(type)
            keys, counts = _reader(key) or _same, _reader(count) or _same
            return lambda value: {
                _null(keys, one["key"]): _null(counts, one["value"]) for one in value
            }
        case Root.ROW | Root.STRUCTURED:
            readers = [
                (name, convert)
                for name, child in zip(type.names, type.children, strict=True)
                if (convert := _reader(child)) is not None
            ]
            if not readers:
                return None
            return lambda value: {
                **value,
                **{name: _null(convert, value[name]) for name, convert in readers},
            }
    return None


def _writer(type: DataType) -> Convert | None:
    """How values of a type are given; None: as they are."""
    match type.root:
        case Root.ARRAY:
            inner = _writer(type.children[0])
            return None if inner is None else lambda value: [_null(inner, one) for one in value]
        case Root.MAP | Root.MULTISET:
            key, count = _pair(type)
            keys, counts = _writer(key) or _same, _writer(count) or _same
            return lambda value: [
                {"key": _null(keys, k), "value": _null(counts, v)} for k, v in value.items()
            ]
        case Root.ROW | Root.STRUCTURED:
            return lambda value: _row(value, type)
        case Root.TIMESTAMP_LTZ:
            return _instant
    return None


def _row(value: Any, type: DataType) -> dict[str, Any]:
    """Raises ValueError if there are more or fewer values than fields."""
    if isinstance(value, Mapping):
        value = [value[name] for name in type.names]
    fields = zip(type.names, type.children, value, strict=True)
    return {name: _null(_writer(child) or _same, one) for name, child, one in fields}


def _instant(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _pair(type: DataType) -> tuple[DataType, DataType]:
    key, *rest = type.children
    return key, rest[0] if rest else BIGINT


def _null(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _same(value: Any) -> Any:
    return value
