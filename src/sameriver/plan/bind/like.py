"""``CREATE TABLE b (...) LIKE a (INCLUDING ..., EXCLUDING ..., OVERWRITING ...)``."""

from __future__ import annotations

from typing import TypeVar

from sameriver.common.errors import UserError
from sameriver.plan.bind.declaration import Declaration, DeclaredColumn, of_table
from sameriver.plan.catalog import Catalog, View
from sameriver.sql.statements import LikeClause

T = TypeVar("T")


def inherited(own: Declaration, like: LikeClause, catalog: Catalog) -> Declaration:
    """The columns of the other table, then the own ones; the rest by the options.

    Without options everything is included, and own WITH options overwrite. Columns of the other
    table's own always come along.

    Raises:
        UserError: UNKNOWN_TABLE, BAD_LIKE where both tables say something that can't be merged.
    """
    found = catalog.get(like.table.parts, like.table.position)
    if isinstance(found, View):
        raise _bad(like, f"'{like.table}' is a view", "LIKE takes a table; use AS SELECT instead.")
    base = of_table(found)
    chosen = {part: strategy for strategy, part in like.options}

    def strategy(part: str) -> str:
        default = "OVERWRITING" if part == "OPTIONS" else "INCLUDING"
        return chosen.get(part, chosen.get("ALL", default))

    return Declaration(
        columns=_columns(own, base, like, strategy("GENERATED"), strategy("METADATA")),
        watermark=_one(own.watermark, base.watermark, like, strategy("WATERMARKS"), "WATERMARK"),
        primary_key=_one(
            own.primary_key, base.primary_key, like, strategy("CONSTRAINTS"), "PRIMARY KEY"
        ),
        partitioned_by=_one(
            own.partitioned_by, base.partitioned_by, like, strategy("PARTITIONS"), "PARTITIONED BY"
        ),
        options=_options(own.options, base.options, like, strategy("OPTIONS")),
    )


def _columns(
    own: Declaration, base: Declaration, like: LikeClause, generated: str, metadata: str
) -> tuple[DeclaredColumn, ...]:
    merged: dict[str, DeclaredColumn] = {}
    strategies: dict[str, str] = {}
    for column in base.columns:
        strategy = "INCLUDING"
        if column.expression is not None:
            strategy = generated
        elif column.metadata is not None:
            strategy = metadata
        if strategy != "EXCLUDING":
            merged[column.name] = column
            strategies[column.name] = strategy
    taken = set(merged)
    doubled: list[DeclaredColumn] = []
    for column in own.columns:
        if column.name in taken and strategies[column.name] != "OVERWRITING":
            raise _bad(
                like,
                f"column '{column.name}' is in '{like.table}' already",
                "Leave it out; a computed column can be replaced by OVERWRITING GENERATED.",
            )
        if column.name in merged and column.name not in taken:
            doubled.append(column)
        else:
            merged[column.name] = column
            taken.discard(column.name)
    return (*merged.values(), *doubled)


def _one(own: T, base: T, like: LikeClause, strategy: str, what: str) -> T:
    if strategy == "EXCLUDING" or not base:
        return own
    if own and strategy == "INCLUDING":
        part = {"WATERMARK": "WATERMARKS", "PRIMARY KEY": "CONSTRAINTS"}.get(what, "PARTITIONS")
        raise _bad(
            like,
            f"'{like.table}' has a {what}, and so has the new table",
            f"Write EXCLUDING {part} after the name of the table.",
        )
    return own or base


def _options(
    own: dict[str, str], base: dict[str, str], like: LikeClause, strategy: str
) -> dict[str, str]:
    if strategy == "EXCLUDING":
        return own
    both = sorted(own.keys() & base.keys())
    if both and strategy == "INCLUDING":
        raise _bad(
            like,
            f"option '{both[0]}' is set by '{like.table}' too",
            "Leave it out, or write OVERWRITING OPTIONS.",
        )
    return base | own


def _bad(like: LikeClause, message: str, hint: str) -> UserError:
    return UserError("BAD_LIKE", message, hint=hint, position=like.table.position)
