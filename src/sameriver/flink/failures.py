"""Exceptions of Flink as errors of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sameriver.common.errors import ExternalError, Position, SameriverError, UserError

_OF_THE_USER = ("ValidationException", "TableException", "SqlParserException", "CatalogException")
"""Java classes that tell what is wrong with a statement."""
_WRAPPERS = ("CompletionException", "ExecutionException", "RuntimeException")


@contextmanager
def flink_errors(position: Position | None = None) -> Iterator[None]:
    """Turns an exception of Java into an error with what Flink said in the innermost one.

    Raises:
        UserError: FLINK_REFUSED: the statement is wrong for Flink.
        ExternalError: FLINK_FAILED: anything else.
    """
    try:
        yield
    except SameriverError:
        raise
    except Exception as error:
        thrown = getattr(error, "java_exception", None)
        if thrown is None:
            raise
        raise _error(list(_causes(thrown)), position) from None


def _error(causes: list[tuple[str, str]], position: Position | None) -> SameriverError:
    said = [(name, text) for name, text in causes if text and name not in _WRAPPERS] or causes
    texts = dict.fromkeys(text.strip().splitlines()[0] for _, text in said if text.strip())
    # the outermost says what was tried, the innermost why it failed
    shown = ": ".join(dict.fromkeys([*list(texts)[:1], *list(texts)[-1:]])) or causes[-1][0]
    if any(name in _OF_THE_USER for name, _ in causes):
        return UserError("FLINK_REFUSED", f"Flink says: {shown}", position=position)
    return ExternalError("FLINK_FAILED", f"Flink says: {shown}", position=position)


def _causes(thrown: Any) -> Iterator[tuple[str, str]]:
    """Class name and message of an exception and of what caused it, outermost first."""
    while thrown is not None:
        yield thrown.getClass().getSimpleName(), thrown.getMessage() or ""
        thrown = thrown.getCause()
