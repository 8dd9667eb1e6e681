"""Digests of functions in Python: whether a function is still the one that state was built with."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType
from typing import Any


def source_digest(given: Any, declared: object) -> str:
    """Digest of a function's, method's or class's source, and of what was declared of it.

    Where there is no source (a function typed in at a prompt) its compiled code stands for it.
    """
    try:
        text = textwrap.dedent(inspect.getsource(given)).strip()
    except (OSError, TypeError):
        text = "\n".join(_compiled(given))
    return hashlib.sha256(f"{text}\n{declared}".encode()).hexdigest()[:16]


def _compiled(given: Any) -> Iterator[str]:
    members = vars(given).values() if isinstance(given, type) else (given,)
    for member in members:
        code = getattr(inspect.unwrap(member), "__code__", None) if callable(member) else None
        if code is not None:
            yield from _code(code)


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr(code.co_names)
    for constant in code.co_consts:
        yield from _code(constant) if isinstance(constant, CodeType) else (repr(constant),)
