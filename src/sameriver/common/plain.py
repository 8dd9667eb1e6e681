"""Frozen dataclasses as JSON data and back."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

Kind = TypeVar("Kind")


def to_plain(value: object) -> Any:
    """The value as JSON data: dataclasses and mappings as objects, tuples as lists."""
    if dataclasses.is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: to_plain(one) for key, one in value.items()}
    return value


def from_plain(kind: type[Kind], data: object) -> Kind:
    """The dataclass that ``to_plain`` turned into ``data``; every type is checked.

    Raises:
        TypeError: ``data`` is of another type, or lacks a field, or has one more.
    """
    built: Kind = _build(kind, data, kind.__name__)
    return built


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(hint: Any, value: Any, place: str) -> Any:
    """A value of the type that ``hint`` says."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _build(args[0], value, place)
    if origin is tuple:
        return tuple(
            _build(args[0], one, f"{place}[{number}]")
            for number, one in enumerate(_of(list, value, place))
        )
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _build_dataclass(hint, _of(dict, value, place), place)
    return _of(origin or hint, value, place)


def _build_dataclass(kind: type, data: dict[str, Any], place: str) -> Any:
    hints = _hints(kind)
    odd = set(hints).symmetric_difference(data)
    if odd:
        raise TypeError(f"{place} lacks or should not have {sorted(map(str, odd))}")
    return kind(**{name: _build(hints[name], data[name], f"{place}.{name}") for name in hints})


def _of(kind: Any, value: Any, place: str) -> Any:
    if kind in (object, Any):
        return value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{place} is {type(value).__name__}, not {kind.__name__}")
    return value
