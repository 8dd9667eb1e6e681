"""Descriptions of jobs as JSON and back."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

from sameriver.common.errors import UserError
from sameriver.compat.description import VERSION, JobDescription

Json = dict[str, Any]


def to_json(description: JobDescription) -> Json:
    """The description as JSON data, with the version of its form."""
    return {"version": VERSION, **_plain(description)}


def from_json(data: Json) -> JobDescription:
    """The description that ``to_json`` wrote.

    Raises:
        UserError: DESCRIPTION_VERSION if a newer version wrote it; BAD_DESCRIPTION.
    """
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise UserError(
            "DESCRIPTION_VERSION",
            f"the job is described in version '{version}', this sameriver reads up to {VERSION}",
            hint="Use the version of sameriver that wrote it, or a later one.",
        )
    fields = {key: value for key, value in data.items() if key != "version"}
    try:
        built = _build(JobDescription, fields)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            "BAD_DESCRIPTION",
            f"the description of the job can't be read: {type(error).__name__}: {error}",
            hint="It is written by sameriver; restore the file as it was.",
        ) from error
    assert isinstance(built, JobDescription)
    return built


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return dict(sorted(value.items()))
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(hint: Any, value: Any) -> Any:
    """A value of the type that ``hint`` says."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _build(args[0], value)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"a list is expected, not {type(value).__name__}")
        return tuple(_build(args[0], one) for one in value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = _hints(hint)
        return hint(**{name: _build(hints[name], part) for name, part in value.items()})
    return value
