"""Random queries of every kind of stateful operator, and random edits of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

DDL = """
CREATE TABLE a ({extra}k STRING, g INT, v BIGINT, w INT, s STRING, ts TIMESTAMP(3),
  pt AS PROCTIME(), vw AS {sum},
  WATERMARK FOR ts AS {watermark}) WITH ('connector' = 'case');
CREATE TABLE b (k STRING, g INT, v BIGINT, w INT, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS {watermark}) WITH ('connector' = 'case');
CREATE TABLE r (id INT, x BIGINT, y STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED,
  WATERMARK FOR ts AS {watermark}) WITH ('connector' = 'case');
CREATE TABLE u (id INT, g INT, n BIGINT, y STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'case', 'changelog-mode' = 'upsert');
"""

PLAIN = (
    "SUM(v)", "COUNT(*)", "MIN(w)", "MAX(w)", "AVG(v)", "COUNT(s)", "MAX(s)", "SUM(w)",
    "SUM(v) FILTER (WHERE w > 2)", "LAST_VALUE(w)", "SUM(v + w)",
    "SUM(vw)",
)  # fmt: skip
DISTINCT = ("COUNT(DISTINCT s)", "SUM(DISTINCT w)", "COUNT(DISTINCT w)")
COLUMNS = ("k", "g", "v", "w", "s")
ALL = "SELECT k, g, v, w, s, v + w AS vw FROM"
BOTH = f"({ALL} a UNION ALL {ALL} b) AS u"
FILTERS = ("", "v > 3", "w < 8", "s <> 'p'", "v > 3 AND w < 8", "w < 8 AND v > 3", "v > 4")


@dataclass
class Query:
    """Choices by name, which ``write`` turns into SQL."""

    write: Callable[[dict[str, object]], str]
    options: dict[str, Callable[[random.Random], object]]
    choices: dict[str, object] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    extra: str = ""
    sum: str = "v + w"
    watermark: str = "SOURCE_WATERMARK()"
    key: tuple[str, ...] = ()
    """Output columns that tell the rows apart, which come from rows of the input alone."""
    ordered: bool = False
    """Whether the result hangs on the order in which rows of different keys come from below."""

    def sql(self) -> str:
        settings = "".join(f"SET '{key}' = '{value}';\n" for key, value in self.settings.items())
        ddl = DDL.replace("{extra}", self.extra).replace("{sum}", self.sum)
        ddl = ddl.replace("{watermark}", self.watermark)
        return settings + ddl + self.write(self.choices)

    def keys(self) -> list[str]:
        """Output columns that tell the rows of an aggregation apart; none if they don't."""
        keys = listed(self.choices.get("keys", []))
        if self.write is group:
            return [name_of(key) for key in keys]
        if self.write is window and self.choices["end"]:
            return ["window_end", *map(name_of, keys)]
        return [] if self.choices.get("above") else list(self.key)


def some(of: tuple[str, ...], least: int, most: int) -> Callable[[random.Random], list[str]]:
    return lambda rng: rng.sample(of, rng.randint(least, most))


def one(*of: object) -> Callable[[random.Random], object]:
    return lambda rng: rng.choice(of)


def listed(items: object) -> list[str]:
    assert isinstance(items, list)
    return items


def where(condition: object) -> str:
    return f" WHERE {condition}" if condition else ""


def of_a(condition: object) -> str:
    """The condition on columns of table a, where others have them too."""
    return re.sub(r"\b([vws])\b", r"a.\1", str(condition))


def named(expressions: list[str]) -> str:
    return ", ".join(f"{text} AS {name_of(text)}" for text in expressions)


def name_of(expression: str) -> str:
    """The same name for the same expression, wherever it stands."""
    return f"o{sum(map(ord, expression))}"


def aggregates(c: dict[str, object]) -> list[str]:
    return [*listed(c["plain"]), *listed(c["distinct"])]


AGGREGATES: dict[str, Callable[[random.Random], object]] = {
    "plain": some(PLAIN, 0, 3),
    "distinct": lambda rng: rng.choice([[], [], rng.sample(DISTINCT, 1)]),
    "filter": one(*FILTERS),
    "keys": some(("k", "g"), 1, 2),
}


def group(c: dict[str, object]) -> str:
    keys = listed(c["keys"])
    having = " HAVING COUNT(*) > 1" if c["having"] and aggregates(c) else ""
    source = "a" if not c["union"] else BOTH
    return (
        f"SELECT {named([*keys, *aggregates(c)])} FROM {source}{where(c['filter'])}"
        f" GROUP BY {', '.join(keys)}{having};"
    )


def window(c: dict[str, object]) -> str:
    keys, time = listed(c["keys"]), "ts"
    size = c["size"]
    kind = {
        "TUMBLE": f"INTERVAL '{size}' SECOND",
        "HOP": f"INTERVAL '2' SECOND, INTERVAL '{size}' SECOND",
        "CUMULATE": f"INTERVAL '2' SECOND, INTERVAL '{size}' SECOND",
        "SESSION": f"INTERVAL '{size}' SECOND",
    }[str(c["kind"])]
    partition = f" PARTITION BY ({', '.join(keys)})" if c["kind"] == "SESSION" else ""
    where_in = f"(SELECT * FROM a{where(c['filter'])})"
    view = f"CREATE TEMPORARY VIEW f AS {where_in[1:-1]};\n"
    shown = ["window_end"] if c["end"] else []
    return (
        f"{view}SELECT {', '.join([*shown, named([*keys, *aggregates(c)])])} FROM "
        f"TABLE({c['kind']}(TABLE f{partition}, DESCRIPTOR({time}), {kind}))"
        f" GROUP BY {', '.join(keys)}, window_start, window_end;"
    )


def legacy(c: dict[str, object]) -> str:
    keys = listed(c["keys"])
    call = {
        "TUMBLE": f"TUMBLE(ts, INTERVAL '{c['size']}' SECOND)",
        "HOP": f"HOP(ts, INTERVAL '2' SECOND, INTERVAL '{c['size']}' SECOND)",
        "SESSION": f"SESSION(ts, INTERVAL '{c['size']}' SECOND)",
    }[str(c["kind"])]
    end = call.replace("(", "_END(", 1)
    shown = [end] if c["end"] else []
    return (
        f"SELECT {named([*shown, *keys, *aggregates(c)])} FROM a{where(c['filter'])}"
        f" GROUP BY {', '.join([*keys, call])};"
    )


def rank(c: dict[str, object]) -> str:
    columns, keys = listed(c["columns"]), listed(c["keys"])
    number = ", rn" if c["number"] else ""
    return (
        f"SELECT {', '.join(columns)}{number} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
        f" {', '.join(keys)} ORDER BY {c['order']}) AS rn FROM a{where(c['filter'])})"
        f" WHERE rn <= {c['n']};"
    )


def join(c: dict[str, object]) -> str:
    left, right = listed(c["left"]), listed(c["right"])
    shown = [f"a.{n} AS l{n}" for n in left] + [f"b.{n} AS r{n}" for n in right]
    extra = f" AND {c['extra']}" if c["extra"] else ""
    if c["kind"] == "SEMI":
        condition = f"a.k IN (SELECT k FROM b{where(c['filter'])})"
        return f"SELECT {', '.join(f'a.{n}' for n in left)} FROM a WHERE {condition};"
    return (
        f"SELECT {', '.join(shown)} FROM a {c['kind']} JOIN b ON a.k = b.k{extra}"
        f"{where(of_a(c['filter']))};"
    )


def interval(c: dict[str, object]) -> str:
    left, right = listed(c["left"]), listed(c["right"])
    shown = [f"a.{n} AS l{n}" for n in left] + [f"b.{n} AS r{n}" for n in right]
    return (
        f"SELECT {', '.join(shown)} FROM a {c['kind']} JOIN b ON a.k = b.k AND a.ts BETWEEN"
        f" b.ts - INTERVAL '{c['low']}' SECOND AND b.ts + INTERVAL '{c['high']}' SECOND;"
    )


def versioned(c: dict[str, object]) -> str:
    left, right = listed(c["left"]), listed(c["right"])
    shown = [f"a.{n} AS l{n}" for n in left] + [f"r.{n} AS r{n}" for n in right]
    return (
        f"SELECT {', '.join(shown)} FROM a {c['kind']} JOIN r FOR SYSTEM_TIME AS OF a.ts"
        f" ON a.g = r.id{where(of_a(c['filter']))};"
    )


def over(c: dict[str, object]) -> str:
    calls = listed(c["calls"])
    frame = {
        "rows": f"ROWS BETWEEN {c['size']} PRECEDING AND CURRENT ROW",
        "range": f"RANGE BETWEEN INTERVAL '{c['size']}' SECOND PRECEDING AND CURRENT ROW",
        "all": "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    }[str(c["frame"])]
    shown = [f"{call} OVER x AS {name_of(call)}" for call in calls]
    return (
        f"SELECT {', '.join([*listed(c['columns']), *shown])} FROM a{where(c['filter'])}"
        f" WINDOW x AS (PARTITION BY {c['key']} ORDER BY ts {frame});"
    )


def sort(c: dict[str, object]) -> str:
    second = f", {c['second']}" if c["second"] else ""
    return (
        f"SELECT {', '.join(['ts', *listed(c['columns'])])} FROM a{where(c['filter'])}"
        f" ORDER BY ts{second};"
    )


def limit(c: dict[str, object]) -> str:
    return f"SELECT {', '.join(listed(c['columns']))} FROM a LIMIT {c['n']};"


def operation(c: dict[str, object]) -> str:
    columns = ", ".join(listed(c["columns"]))
    return f"SELECT {columns} FROM a{where(c['filter'])} {c['kind']} SELECT {columns} FROM b;"


def cascade(c: dict[str, object]) -> str:
    """An aggregate over the last row of each key."""
    calls = named(listed(c["calls"]))
    return (
        f"SELECT g, {calls} FROM (SELECT k, g, v, w, s FROM (SELECT *, ROW_NUMBER() OVER"
        f" (PARTITION BY k ORDER BY {c['order']}) AS rn FROM a{where(c['filter'])}) WHERE rn = 1)"
        f" GROUP BY g;"
    )


JOINED = {"left": some(COLUMNS, 1, 3), "right": some(COLUMNS, 1, 2)}

FAMILIES: dict[str, Query] = {
    "group": Query(group, {**AGGREGATES, "having": one(False, True), "union": one(False, True)}),
    "window": Query(
        window,
        {
            **AGGREGATES,
            "kind": one("TUMBLE", "HOP", "CUMULATE", "SESSION"),
            "size": one(4, 8),
            "end": one(False, True),
        },
    ),
    "legacy": Query(
        legacy,
        {
            **AGGREGATES,
            "kind": one("TUMBLE", "HOP", "SESSION"),
            "size": one(4, 8),
            "end": one(False, True),
        },
    ),
    "rank": Query(
        rank,
        {
            "columns": some(COLUMNS, 1, 4),
            "keys": some(("k", "g"), 1, 2),
            "order": one("pt", "pt DESC", "ts", "ts DESC", "v DESC", "w, v DESC"),
            "n": one(1, 1, 2, 3),
            "number": one(False, True),
            "filter": one(*FILTERS),
        },
    ),
    "join": Query(
        join,
        {
            **JOINED,
            "kind": one("INNER", "LEFT", "RIGHT", "FULL", "SEMI"),
            "extra": one("", "", "a.v > b.v", "a.g = b.g"),
            "filter": one(*FILTERS),
        },
    ),
    "interval": Query(
        interval,
        {
            **JOINED,
            "kind": one("INNER", "LEFT", "RIGHT", "FULL"),
            "low": one(2, 4),
            "high": one(0, 3),
        },
    ),
    "versioned": Query(
        versioned,
        {
            "left": some(COLUMNS, 1, 3),
            "right": some(("id", "x", "y"), 1, 2),
            "kind": one("INNER", "LEFT"),
            "filter": one(*FILTERS),
        },
    ),
    "over": Query(
        over,
        {
            "columns": some(COLUMNS, 1, 2),
            "calls": some(("SUM(v)", "COUNT(*)", "MAX(w)", "MIN(v)", "COUNT(DISTINCT s)"), 1, 3),
            "frame": one("rows", "range", "all"),
            "size": one(1, 3),
            "key": one("k", "g"),
            "filter": one(*FILTERS),
        },
    ),
    "sort": Query(
        sort,
        {
            "columns": some(COLUMNS, 1, 3),
            "second": one("", "v", "v DESC"),
            "filter": one(*FILTERS),
        },
    ),
    "limit": Query(limit, {"columns": some(COLUMNS, 1, 3), "n": one(5, 20)}),
    "operation": Query(
        operation,
        {
            "columns": some(("k", "g", "w"), 1, 2),
            "kind": one("INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"),
            "filter": one(*FILTERS),
        },
    ),
    "cascade": Query(
        cascade,
        {
            "calls": some(("SUM(v)", "COUNT(*)", "MAX(w)", "MIN(v)", "COUNT(s)"), 1, 3),
            "order": one("pt DESC", "ts DESC", "v DESC"),
            "filter": one(*FILTERS),
        },
    ),
}
