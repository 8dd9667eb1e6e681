"""Paths into JSON text: ``lax $.a[0].b``, ``strict $['a'][*]``."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.functions.failure import EvaluationError, failure

JsonValue = None | bool | int | Decimal | str | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the root: a key, a position, or ``*`` (None) for all members.

    Without ``lax`` a path is strict: where it leads nowhere is an error, not empty.
    """

    steps: tuple[str | int | None, ...]
    strict: bool


class Invalid(Exception):
    """The text is no JSON, or a strict path leads nowhere."""


_STEP = re.compile(
    r"""\.(?P<star>\*) | \.(?P<key>[^.\[\s]+) | \.?\[\s*'(?P<quoted>[^']*)'\s*\]
      | \.?\[\s*"(?P<double>[^"]*)"\s*\] | \[\s*(?P<index>-?\d+)\s*\] | \[\s*(?P<all>\*)\s*\]""",
    re.VERBOSE,
)


@lru_cache(maxsize=256)
def path(text: str) -> Path:
    """The path taken apart.

    Raises:
        EvaluationError: BAD_JSON_PATH.
    """
    match = re.match(r"\s*(?:(lax|strict)\s+)?\$", text, re.IGNORECASE)
    if match is None:
        raise failure("BAD_JSON_PATH", f"'{text}' is no JSON path, such as '$.a[0].b'")
    steps: list[str | int | None] = []
    place, rest = match.end(), text.rstrip()
    while place < len(rest):
        step = _STEP.match(rest, place)
        if step is None:
            raise failure("BAD_JSON_PATH", f"'{rest[place:]}' of JSON path '{text}' is unknown")
        index = step["index"]
        key = step["key"] or step["quoted"] or step["double"]
        steps.append(int(index) if index is not None else key)
        place = step.end()
    return Path(tuple(steps), (match.group(1) or "strict").lower() == "strict")


def path_or_none(text: str) -> Path | None:
    """The same; None if it is malformed, which is an error of each value, as in Flink."""
    try:
        return path(text)
    except EvaluationError:
        return None


def parse(text: str) -> JsonValue:
    """The JSON value.

    Raises:
        Invalid: it is none.
    """
    try:
        value: JsonValue = DECODER.decode(text)
    except ValueError as error:
        raise Invalid(str(error)) from None
    return value


def first_value(text: str, decoder: json.JSONDecoder) -> Any:
    """The first JSON value of a text; what follows it does not count, as in Flink.

    Raises:
        ValueError: there is none, or what follows a word or number is part of it.
    """
    start = text.lstrip(" \t\r\n")
    value, end = decoder.raw_decode(start)
    follows = start[end : end + 1]
    if start[0] not in '{["' and follows not in ("", " ", "\t", "\r", "\n"):
        raise ValueError(f"'{follows}' follows the first value")
    return value


def _refuse(word: str) -> None:
    raise ValueError(word)


DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse)


def find(text: str, to: Path | None) -> list[JsonValue]:
    """What the path leads to; empty if a lax path leads nowhere.

    Raises:
        Invalid: no JSON, no path, or a strict path leads nowhere.
    """
    if to is None:
        raise Invalid("there is no such path")
    try:
        found: list[JsonValue] = [first_value(text, DECODER)]
    except ValueError as error:
        raise Invalid(str(error)) from None
    for step in to.steps:
        found = [member for value in found for member in _members(value, step)]
        if not found and to.strict:
            raise Invalid(f"nothing at {step}")
    return found


def _members(value: JsonValue, step: str | int | None) -> list[JsonValue]:
    if isinstance(value, dict):
        if step is None:
            return list(value.values())
        return [value[step]] if isinstance(step, str) and step in value else []
    if isinstance(value, list):
        if step is None:
            return value
        there = isinstance(step, int) and -len(value) <= step < len(value)
        return [value[step]] if isinstance(step, int) and there else []
    return []


def dump(value: JsonValue) -> str:
    """Compact JSON text; decimals keep their digits, keys are sorted as in Flink."""
    match value:
        case dict():
            pairs = (f"{json.dumps(k, ensure_ascii=False)}:{dump(value[k])}" for k in sorted(value))
            return "{" + ",".join(pairs) + "}"
        case list():
            return "[" + ",".join(dump(item) for item in value) + "]"
        case Decimal():
            return str(value if value else abs(value))
    return json.dumps(value, ensure_ascii=False)
