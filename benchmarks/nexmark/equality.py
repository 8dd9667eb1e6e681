"""Whether two engines came to the same table."""

from __future__ import annotations

from benchmarks.nexmark.changelog import Table


def difference(ours: Table, theirs: Table) -> str:
    """What tells two tables apart; empty: they are equal."""
    more, less = ours - theirs, theirs - ours
    if not more and not less:
        return ""
    parts = [f"{ours.total():,} rows against {theirs.total():,}"]
    for who, rows in (("only ours", more), ("only theirs", less)):
        if rows:
            parts.append(f"{who}: {rows.total():,}, such as {min(rows)}")
    return "; ".join(parts)
