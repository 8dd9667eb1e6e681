"""Values of WITH options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from sameriver.common.errors import UserError, place_of
from sameriver.common.time import parse_duration

Options = Mapping[str, str]


def bad_option(key: str, value: str, expected: str) -> UserError:
    """The error for a value that is not as expected, at its place in the script."""
    message = f"option '{key}' is '{value}'"
    return UserError("BAD_OPTION", message, hint=f"Write {expected}.", position=place_of(value))


def boolean(options: Options, key: str, default: bool = False) -> bool:
    """The option as true or false."""
    value = options.get(key)
    if value is None:
        return default
    if value.strip().lower() not in ("true", "false"):
        raise bad_option(key, value, "true or false")
    return value.strip().lower() == "true"


def integer(options: Options, key: str, default: int | None, least: int = 0) -> int | None:
    """The option as a whole number of at least ``least``."""
    value = options.get(key)
    if value is None:
        return default
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise bad_option(key, value, f"a whole number of at least {least}")
    return number


def choice(options: Options, key: str, default: str, among: Sequence[str]) -> str:
    """The option as one of ``among``, case aside."""
    value = options.get(key, default)
    for known in among:
        if known.lower() == value.strip().lower():
            return known
    raise bad_option(key, value, f"one of {', '.join(among)}")


def character(options: Options, key: str, default: str) -> str:
    """The option as one character; ``\\t`` and its like may be written out."""
    value = options.get(key, default)
    value = {"\\t": "\t", "\\\\": "\\", "\\u0001": "\x01"}.get(value, value)
    if len(value) != 1 or ord(value) > 127:
        raise bad_option(key, value, "one ASCII character")
    return value


def milliseconds(options: Options, key: str, default: str) -> int:
    """The option as a duration, in ms.

    Raises:
        UserError: BAD_DURATION.
    """
    return parse_duration(options.get(key, default)) // timedelta(milliseconds=1)


def size(options: Options, key: str, default: str) -> int:
    """The option as a number of bytes, which Flink writes as ``128 mb``, ``64kb`` or ``1000``."""
    value = options.get(key, default)
    match = re.fullmatch(r"(\d+)\s*(?:b|bytes|([kmgt])(?:b|[ie]bibytes)?)?", value.lower())
    if match is None:
        raise bad_option(key, value, "a number and a unit, such as '128 mb'")
    return int(match[1]) << 10 * " kmgt".index(match[2] or " ")
