"""Queries of several levels, over changelogs, lookups, Python functions and into keyed sinks."""

from __future__ import annotations

from .queries import (
    FILTERS,
    Query,
    listed,
    name_of,
    named,
    one,
    some,
    where,
)

CALLS = ("SUM(v)", "COUNT(*)", "MAX(w)", "MIN(v)", "COUNT(s)", "SUM(w)")
OVER_ROWS = ("SUM(n)", "COUNT(*)", "MAX(n)", "MIN(y)", "COUNT(DISTINCT y)")


def over_join(c: dict[str, object]) -> str:
    """An aggregate over a join."""
    calls = named(listed(c["calls"]))
    return (
        f"SELECT g, {calls} FROM (SELECT a.g, a.v, b.w, b.s FROM a {c['kind']} JOIN b"
        f" ON a.k = b.k) AS j{where(c['filter'])} GROUP BY g;"
    )


def of_aggregates(c: dict[str, object]) -> str:
    """A join of two aggregates."""
    left, right = listed(c["left"]), listed(c["right"])
    shown = [f"x.{name_of(n)} AS l{name_of(n)}" for n in left]
    shown += [f"y.{name_of(n)} AS r{name_of(n)}" for n in right]
    return (
        f"SELECT x.g, {', '.join(shown)} FROM (SELECT g, {named(left)} FROM a"
        f"{where(c['filter'])} GROUP BY g) AS x {c['kind']} JOIN"
        f" (SELECT g, {named(right)} FROM b GROUP BY g) AS y ON x.g = y.g;"
    )


def of_first_rows(c: dict[str, object]) -> str:
    """Windows over the first row of each key, or over another window."""
    calls = named(listed(c["calls"]))
    below = (
        f"SELECT k, g, v, w, s, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, g"
        f" ORDER BY ts) AS rn FROM a{where(c['filter'])}) WHERE rn = 1"
    )
    if c["twice"]:
        below = (
            "SELECT MAX(k) AS k, g, SUM(v) AS v, MIN(w) AS w, MAX(s) AS s, window_time AS ts FROM"
            f" TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '2' SECOND)){where(c['filter'])}"
            " GROUP BY g, window_start, window_end, window_time"
        )
    return (
        f"CREATE TEMPORARY VIEW f AS {below};\nSELECT window_end, {calls} FROM"
        f" TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '{c['size']}' SECOND))"
        " GROUP BY window_start, window_end;"
    )


def of_upserts(c: dict[str, object]) -> str:
    """Over a table that tells the last row of each key."""
    calls = named(listed(c["calls"]))
    if c["shape"] == "join":
        return f"SELECT u.y, u.n, r.x FROM u JOIN r ON u.g = r.id{where(c['only'])};"
    if c["shape"] == "rows":
        return f"SELECT {', '.join(listed(c['columns']))} FROM u{where(c['only'])};"
    return f"SELECT g, {calls} FROM u{where(c['only'])} GROUP BY g;"


def in_python(c: dict[str, object]) -> str:
    calls = named(listed(c["calls"]))
    return f"SELECT k, {calls} FROM a{where(c['filter'])} GROUP BY k;"


def looked_up(c: dict[str, object]) -> str:
    """Over a lookup, which keeps no state."""
    if c["above"]:
        return (
            f"SELECT x.g, x.n, {', '.join(listed(c['columns']))} FROM (SELECT g, PROCTIME() AS p,"
            f" COUNT(*) AS n FROM a{where(c['filter'])} GROUP BY g) AS x"
            " JOIN l FOR SYSTEM_TIME AS OF x.p ON x.g = l.id;"
        )
    calls = named(listed(c["calls"]))
    return (
        f"SELECT l.name, {calls} FROM a {c['kind']} JOIN l FOR SYSTEM_TIME AS OF a.pt"
        f" ON a.g = l.id{where(c['filter'])} GROUP BY l.name;"
    )


def into_keys(c: dict[str, object]) -> str:
    """Rows of one key into a sink of another."""
    extra = listed(c["columns"])
    columns = ", ".join(f"{name} {TYPES[name]}" for name in extra)
    rows = f"SELECT g, {', '.join(extra)} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k"
    rows += f" ORDER BY pt DESC) AS rn FROM a{where(c['filter'])}) WHERE rn = 1"
    if c["limit"]:
        rows = f"SELECT g, {', '.join(extra)} FROM a{where(c['filter'])}"
    return (
        f"CREATE TABLE z (g INT, {columns}, PRIMARY KEY (g) NOT ENFORCED) WITH"
        f" ('connector' = 'case', 'changelog-mode' = 'upsert');\nINSERT INTO z {rows};"
    )


def of_last_rows(c: dict[str, object]) -> str:
    """Top rows of an aggregate, or of a join."""
    calls = named(listed(c["calls"]))
    order = name_of(listed(c["calls"])[0])
    return (
        f"SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY {order} DESC) AS rn"
        f" FROM (SELECT g, k, {calls} FROM a{where(c['filter'])} GROUP BY g, k))"
        f" WHERE rn <= {c['n']};"
    )


def in_own_time(c: dict[str, object]) -> str:
    """Windows by processing time."""
    calls = named(listed(c["calls"]))
    step = "" if c["kind"] == "TUMBLE" else " INTERVAL '2' SECOND,"
    return (
        f"SELECT g, {calls} FROM TABLE({c['kind']}(TABLE a, DESCRIPTOR(pt),{step}"
        f" INTERVAL '{c['size']}' SECOND)) GROUP BY g, window_start, window_end;"
    )


def over_interval(c: dict[str, object]) -> str:
    """Windows over rows that an interval join lets through late."""
    calls = named(listed(c["calls"]))
    return (
        f"CREATE TEMPORARY VIEW f AS SELECT a.g, a.v, b.w, b.s, a.ts FROM a {c['kind']} JOIN b"
        f" ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '{c['low']}' SECOND AND b.ts"
        f" + INTERVAL '1' SECOND;\nSELECT window_end, g, {calls} FROM"
        f" TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '{c['size']}' SECOND))"
        f" GROUP BY g, window_start, window_end;"
    )


TYPES = {"k": "STRING", "v": "BIGINT", "w": "INT", "s": "STRING"}
INNER = one("INNER", "INNER", "LEFT")

STACKED: dict[str, Query] = {
    "over_join": Query(
        over_join,
        {"calls": some(CALLS, 1, 3), "kind": INNER, "filter": one("", "", "v > 3", "w < 8")},
    ),
    "of_aggregates": Query(
        of_aggregates,
        {
            "left": some(CALLS, 1, 3),
            "right": some(CALLS, 1, 2),
            "kind": one("INNER", "LEFT", "FULL"),
            "filter": one(*FILTERS),
        },
    ),
    "of_first_rows": Query(
        of_first_rows,
        {
            "calls": some(CALLS, 1, 3),
            "twice": one(False, True),
            "size": one(4, 8),
            "filter": one("", "", "v > 3"),
        },
    ),
    "of_upserts": Query(
        of_upserts,
        {
            "calls": some(OVER_ROWS, 1, 3),
            "columns": some(("id", "n", "y", "g"), 1, 4),
            "shape": one("aggregate", "aggregate", "join", "rows"),
            "only": one("", "", "n > 3"),
        },
    ),
    "in_python": Query(
        in_python,
        {
            "calls": some(
                ("SUM(twice(v))", "spread(v)", "MAX(twice(w))", "spread(w)", "COUNT(*)"), 1, 3
            ),
            "filter": one("", "", "twice(v) > 6", "v > 3"),
        },
        key=("k",),
    ),
    "looked_up": Query(
        looked_up,
        {
            "calls": some(("SUM(v)", "COUNT(*)", "MAX(w)", "COUNT(name)"), 1, 3),
            "columns": some(("name", "factor"), 1, 2),
            "kind": INNER,
            "above": one(False, False, True),
            "filter": one(*FILTERS),
        },
        key=("name",),
    ),
    "into_keys": Query(
        into_keys,
        {
            "columns": some(("k", "v", "w", "s"), 1, 3),
            "limit": one(False, True),
            "filter": one(*FILTERS),
        },
        ordered=True,
    ),
    "of_last_rows": Query(
        of_last_rows,
        {"calls": some(CALLS, 1, 3), "n": one(1, 2), "filter": one(*FILTERS)},
        ordered=True,
    ),
    "in_own_time": Query(
        in_own_time,
        {
            "calls": some(CALLS, 1, 3),
            "kind": one("TUMBLE", "TUMBLE", "HOP", "CUMULATE"),
            "size": one(4, 6),
        },
    ),
    "over_interval": Query(
        over_interval,
        {
            "calls": some(CALLS, 1, 3),
            "kind": INNER,
            "low": one(2, 4),
            "size": one(4, 8),
        },
    ),
}
