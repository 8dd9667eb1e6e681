"""Orderings of rows: as text for people, and as meaning for state."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.plan.expressions import SortKey, to_sql
from sameriver.plan.meaning import Meanings, meaning


def order_text(keys: Sequence[SortKey]) -> str:
    """``ts ASC, id DESC``; the place of NULL only where it isn't low."""
    return ", ".join(f"{to_sql(key.expression)}{_direction(key)}" for key in keys)


def order_meaning(keys: Sequence[SortKey], below: Meanings) -> str:
    """The same over source columns."""
    return ", ".join(f"{meaning(key.expression, below)}{_direction(key)}" for key in keys)


def _direction(key: SortKey) -> str:
    text = " DESC" if key.descending else " ASC"
    if key.nulls_first == key.descending:
        text += " NULLS FIRST" if key.nulls_first else " NULLS LAST"
    return text


def key_names(keys: Sequence[SortKey]) -> tuple[str, ...]:
    """The columns of keys, which are plain columns in physical nodes."""
    return tuple(to_sql(key.expression) for key in keys)
