"""Tree nodes that sqlglot does not have, and where a node stands in the script."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp

from sameriver.common.errors import Position


class Arguments(dict[str, Any]):
    """Named parts of a node; hashable, since sqlglot compares nodes by hash."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted((key, str(value)) for key, value in self.items())))


class WindowTvf(exp.Expression):
    """A windowing table function in FROM.

    Args:
        kind: ``TUMBLE``, ``HOP``, ``CUMULATE`` or ``SESSION``.
        input: an ``exp.Table`` or ``exp.Subquery``.
        time: the ``exp.Column`` of the DESCRIPTOR.
        arguments: SIZE, SLIDE, STEP, GAP, OFFSET and their expressions.
        partition: columns of PARTITION BY.
        alias: an ``exp.TableAlias``, if any.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "kind": True,
        "input": True,
        "time": True,
        "arguments": True,
        "partition": False,
        "alias": False,
    }


class Positive(exp.Unary):
    """``+x``: a number or interval as it is."""


def position(node: exp.Expr | None) -> Position | None:
    """Where a node stands in its script; its first placed part's, if it has no place itself."""
    if node is None:
        return None
    for part in node.walk(bfs=False):
        found = part.meta.get("position") if part._meta else None
        if isinstance(found, Position):
            return found
    return None
