"""Whether two engines came to the same table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Row = tuple[str | None, ...]


def difference(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    """What tells two tables apart, whatever the order of their rows; empty: they are equal."""
    one, other = Counter(ours), Counter(theirs)
    more, less = one - other, other - one
    if not more and not less:
        return ""
    parts = [f"{len(ours):,} rows against {len(theirs):,}"]
    for who, rows in (("only ours", more), ("only theirs", less)):
        if rows:
            example = min(rows, key=lambda row: [cell or "" for cell in row])
            parts.append(f"{who}: {rows.total():,}, such as {list(example)}")
    return "; ".join(parts)
