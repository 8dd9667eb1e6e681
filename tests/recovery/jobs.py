"""Jobs that together use every operator, over files, into files."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

START = datetime(2026, 1, 1)

_DDL = """
CREATE TABLE a (id BIGINT, k INT, v INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
WITH ('connector' = 'filesystem', 'path' = '{inputs}/a.csv', 'format' = 'csv');
CREATE TABLE b (id BIGINT, k INT, v INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
WITH ('connector' = 'filesystem', 'path' = '{inputs}/b.csv', 'format' = 'csv');
CREATE TABLE c (id BIGINT, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND,
  PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{inputs}/c.json', 'format' = 'debezium-json');
CREATE TABLE names (k INT, name STRING)
WITH ('connector' = 'filesystem', 'path' = '{inputs}/names.csv', 'format' = 'csv');
CREATE VIEW p AS SELECT *, PROCTIME() AS proc FROM a;
"""
"""Sources; a and b come in the order of their times, but for a second."""

_TVF = "TABLE({kind}(TABLE a, DESCRIPTOR(ts), {sizes}))"
_TUMBLE = _TVF.format(kind="TUMBLE", sizes="INTERVAL '10' SECOND")
_HOP = _TVF.format(kind="HOP", sizes="INTERVAL '5' SECOND, INTERVAL '20' SECOND")
_CUMULATE = _TVF.format(kind="CUMULATE", sizes="INTERVAL '5' SECOND, INTERVAL '1' MINUTE")
_SESSION = "TABLE(SESSION(TABLE a PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' SECOND))"
_WINDOWED = "(SELECT k, id, v, window_start, window_end FROM {tvf})"
_RANKED = (
    "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS rn "
    "FROM {table}) WHERE rn <= {limit}"
)

JOBS: dict[str, dict[str, str]] = {
    "aggregates": {
        "grouped": "SELECT k, CAST(COUNT(*) AS INT) FROM a GROUP BY k",
        "distinct_values": "SELECT k, CAST(COUNT(DISTINCT v) AS INT) FROM a GROUP BY k",
        "twice": "SELECT CAST(n AS INT), CAST(COUNT(*) AS INT) FROM "
        "(SELECT k, COUNT(*) AS n, MAX(v) AS m FROM a GROUP BY k) GROUP BY n",
        "highest": "SELECT k, MAX(n) FROM (SELECT k, v, CAST(COUNT(*) AS INT) AS n FROM a "
        "GROUP BY k, v) GROUP BY k",
        "sets": "SELECT k, CAST(SUM(v) AS INT) FROM a GROUP BY GROUPING SETS ((k), ())",
        "normal": "SELECT n, CAST(COUNT(*) AS INT) FROM c GROUP BY n",
        "both": "SELECT k, v FROM a INTERSECT SELECT k, v FROM b",
        "but_not": "SELECT k, v FROM a EXCEPT SELECT k, v FROM b WHERE v > 50",
        "all_of": "SELECT k, v FROM a WHERE v > 90 UNION ALL SELECT k, v FROM b WHERE v < 5",
    },
    "windows": {
        "tumbled": f"SELECT k, CAST(SUM(v) AS INT) FROM {_TUMBLE} "
        "GROUP BY k, window_start, window_end",
        "hopped": f"SELECT k, CAST(COUNT(DISTINCT v) AS INT) FROM {_HOP} "
        "GROUP BY k, window_start, window_end",
        "cumulated": f"SELECT k, MAX(v) FROM {_CUMULATE} GROUP BY k, window_start, window_end",
        "sessions": f"SELECT k, CAST(COUNT(*) AS INT) FROM {_SESSION} "
        "GROUP BY k, window_start, window_end",
        "legacy": "SELECT k, CAST(SUM(v) AS INT) FROM a "
        "GROUP BY k, TUMBLE(ts, INTERVAL '7' SECOND)",
        "assigned": f"SELECT k, v FROM {_TUMBLE} WHERE v > 80",
        "best": "SELECT k, CAST(id AS INT) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
        f"window_start, window_end, k ORDER BY v DESC, id) AS rn FROM {_TUMBLE}) WHERE rn <= 2",
        "meeting": f"SELECT l.k, CAST(l.id AS INT) FROM {_WINDOWED.format(tvf=_TUMBLE)} l JOIN "
        f"{_WINDOWED.format(tvf=_TUMBLE.replace('TABLE a', 'TABLE b'))} r ON l.k = r.k "
        "AND l.window_start = r.window_start AND l.window_end = r.window_end AND l.v = r.v",
    },
    "joins": {
        "inner_join": "SELECT a.k, CAST(b.id AS INT) FROM a JOIN b ON a.id = b.id",
        "outer_join": "SELECT a.k, CAST(b.id AS INT) FROM a FULL JOIN b ON a.id = b.id + 7",
        "updated_join": "SELECT l.k, CAST(l.n AS INT) FROM (SELECT k, COUNT(*) AS n FROM a GROUP "
        "BY k) l JOIN (SELECT k, MAX(v) AS m FROM b GROUP BY k) r ON l.k = r.k",
        "near": "SELECT a.k, CAST(b.id AS INT) FROM a JOIN b ON a.k = b.k AND a.v = b.v AND "
        "a.ts BETWEEN b.ts - INTERVAL '3' SECOND AND b.ts + INTERVAL '3' SECOND",
        "versions": "SELECT a.k, c.n FROM a LEFT JOIN c FOR SYSTEM_TIME AS OF a.ts ON a.k = c.id",
        "looked_up": "SELECT p.k, CHAR_LENGTH(name) FROM p JOIN names FOR SYSTEM_TIME AS OF "
        "p.proc AS n ON p.k = n.k",
        "unnested": "SELECT k, w FROM a CROSS JOIN UNNEST(ARRAY[v, v + 1]) AS u (w) WHERE v > 70",
    },
    "order": {
        "top": _RANKED.format(order="v DESC, id", table="a", limit=3),
        "first": _RANKED.format(order="ts ASC", table="a", limit=1),
        "last": _RANKED.format(order="ts DESC", table="a", limit=1),
        "first_seen": _RANKED.format(order="proc ASC", table="p", limit=1),
        "running": "SELECT k, CAST(SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 "
        "PRECEDING AND CURRENT ROW) AS INT) FROM a",
        "whole": "SELECT k, CAST(RANK() OVER (PARTITION BY k ORDER BY m) AS INT) FROM "
        "(SELECT k, v, MAX(id) AS m FROM a GROUP BY k, v)",
        "sorted": "SELECT k, v FROM a ORDER BY ts",
        "few": "SELECT k, v FROM a LIMIT 50",
    },
}
"""Queries of two columns, by the table they are written into; a job is a statement set."""


def script(job: str, inputs: Path, outputs: Path) -> str:
    """The SQL of a job; its tables are folders below ``outputs``."""
    queries = JOBS[job]
    tables = (
        f"CREATE TABLE o_{name} (x INT, y {_Y.get(name, 'INT')}) WITH ('connector' = 'filesystem', "
        f"'path' = '{outputs / name}', 'format' = 'debezium-json');"
        for name in queries
    )
    inserts = (f"INSERT INTO o_{name} {query};" for name, query in queries.items())
    body = "\n".join(inserts)
    # A normalised deletion has the time of the row that goes: a temporal join may find it late.
    twice = f"SET 'table.exec.source.cdc-events-duplicate' = '{str(job != 'joins').lower()}';"
    return "\n".join(
        [twice, _DDL.format(inputs=inputs), *tables, f"EXECUTE STATEMENT SET BEGIN\n{body}\nEND;"]
    )


_Y = dict.fromkeys(("top", "first", "last", "first_seen"), "BIGINT")


def write_inputs(folder: Path, rows: int) -> None:
    """The files that the tables read; the same in every run."""
    random.seed(7)
    folder.mkdir(parents=True)
    for name in "ab":
        lines = []
        for number in range(rows):
            time = START + timedelta(milliseconds=100 * number + random.randrange(1000))
            moment = time.isoformat(sep=" ", timespec="milliseconds")
            k, v = random.randrange(40), random.randrange(100)
            lines.append(f"{number},{k},{v},{moment}\n")
        (folder / f"{name}.csv").write_text("".join(lines))
    (folder / "names.csv").write_text("".join(f"{k},{'x' * (k % 9)}\n" for k in range(40)))
    _write_changes(folder / "c.json", rows // 4)


def _write_changes(path: Path, count: int) -> None:
    """Rows that are replaced and removed, times rising."""
    known: dict[int, dict[str, object]] = {}
    lines = []
    for number in range(count):
        id = random.randrange(40)
        moment = (START + timedelta(milliseconds=400 * number)).isoformat(sep=" ")
        after: dict[str, object] | None = {"id": id, "n": random.randrange(20), "ts": moment}
        before = known.pop(id, None)
        if before is not None and random.random() < 0.2:
            after, before = None, {**before, "ts": moment}
        op = "d" if after is None else "c" if before is None else "u"
        if after is not None:
            known[id] = after
        lines.append(json.dumps({"before": before, "after": after, "op": op}) + "\n")
    path.write_text("".join(lines))


def committed(outputs: Path) -> dict[str, Counter[str]]:
    """What the visible files add up to, table by table."""
    found = {}
    for table in sorted(path for path in outputs.iterdir() if path.is_dir()):
        rows: Counter[str] = Counter()
        for file in table.rglob("*"):
            if file.is_file() and not file.name.startswith((".", "_")):
                for line in file.read_text().splitlines():
                    event = json.loads(line)
                    rows.update({json.dumps(event["after"]): 1} if event["after"] else {})
                    rows.subtract({json.dumps(event["before"]): 1} if event["before"] else {})
        found[table.name] = Counter({row: count for row, count in rows.items() if count})
    return found
