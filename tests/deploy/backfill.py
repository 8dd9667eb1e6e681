"""Stops a job, changes its query, fills it from history, and compares all that was told."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path

import polars as pl

from sameriver import Session, StateDir
from sameriver.checkpoint.folder import StateFolder
from sameriver.common.changes import Changes
from sameriver.common.errors import UserError
from sameriver.common.types import to_polars
from sameriver.deploy.versions import UPGRADE, versions

from .edits import IGNORE_FILTER, random_edit
from .queries import Query
from .soundness import START, Row, prepared

FILLED = (
    "group", "window", "legacy", "join", "interval", "versioned", "over", "sort", "operation",
    "over_join", "of_aggregates", "of_first_rows", "in_python", "looked_up", "over_interval",
)  # fmt: skip
"""Families whose result does not hang on which of two sources is read first."""


def try_backfill(family: str, seed: int, folder: Path) -> str | None:
    """What is wrong after a random edit; empty: nothing; None: it can't be tried."""
    rng = random.Random(f"backfill {family}{seed}")
    before, after = random_edit(family, rng)
    after.settings.pop(IGNORE_FILTER, None)
    tables = {name: _table(rng, 40) for name in "ab"}
    tables["r"] = _versions(rng, 12)
    try:
        for query in (before, after):
            _session(tables).plan(_text(query))
    except UserError:
        return None
    first = _run(tables, before, StateDir(folder), rng.randrange(1, 6))
    if rng.random() < 0.3:
        _run(tables, before, StateDir(folder), 1, first)
    kept = first if _types(tables, before) == _types(tables, after) else Counter()
    if rng.random() < 0.3:
        _run(tables, after, StateDir(folder, backfill=True), 1, kept)
    _run(tables, after, StateDir(folder, backfill=True), None, kept)
    way = versions(StateFolder.find(folder))[-1].way
    if way == UPGRADE and _names(tables, before) != _names(tables, after):
        # Nothing is told where all state goes on: the sink has columns of the old query.
        return None
    whole = _run(tables, after, None, None)
    wrong = {row: (kept[row], whole[row]) for row in {*kept, *whole} if kept[row] != whole[row]}
    return f"told and due: {wrong}\n{_text(before)}\n{_text(after)}" if wrong else ""


def _run(
    tables: dict[str, pl.DataFrame],
    query: Query,
    state: StateDir | None,
    batches: int | None,
    told: Counter[Row] | None = None,
) -> Counter[Row]:
    """What the query comes to, until some batches have come, if that is said."""
    net: Counter[Row] = Counter() if told is None else told
    stop = threading.Event()
    *_, result = _session(tables).results(_text(query), state=state, stop=stop)
    for number, batch in enumerate(result.batches(), 1):
        _count(batch, net)
        if number == batches:
            stop.set()
    return net


def _count(batch: Changes, net: Counter[Row]) -> None:
    kinds = batch.kinds_or_inserts().to_list()
    for kind, row in zip(kinds, batch.rows.rows(), strict=True):
        net[row] += -1 if kind in (1, 3) else 1


def _types(tables: dict[str, pl.DataFrame], query: Query) -> list[str]:
    schema = _session(tables).plan(_text(query))[-1].schema
    return [str(to_polars(type)) for type in schema.types]


def _names(tables: dict[str, pl.DataFrame], query: Query) -> tuple[str, ...]:
    return _session(tables).plan(_text(query))[-1].schema.names


def _text(query: Query) -> str:
    settings = "".join(
        f"SET '{key}' = '{value}';\n"
        for key, value in query.settings.items()
        if key != "table.exec.state.ttl"
    )
    return settings + query.write(query.choices)


def _session(tables: dict[str, pl.DataFrame]) -> Session:
    options = {"sameriver.batch.rows": "5", "execution.checkpointing.interval": "1 ms"}
    session = prepared({**options, "table.exec.state.ttl": "0"})
    for name, frame in tables.items():
        session.register(
            name,
            frame,
            watermark=("ts", "ts - INTERVAL '2' SECOND"),
            proctime="pt" if name != "r" else None,
            primary_key=("id",) if name == "r" else (),
        )
    return session


def _table(rng: random.Random, count: int) -> pl.DataFrame:
    def pick(*values: object) -> list[object]:
        return [rng.choice(values) for _ in range(count)]

    times = [START + 700 * number + rng.randrange(-500, 500) for number in range(count)]
    values, other = pick(*range(8), None), pick(*range(10))
    return pl.DataFrame(
        {
            "k": pl.Series(pick("x", "y", "z", None), dtype=pl.String),
            "g": pl.Series(pick(1, 2, 3), dtype=pl.Int32),
            "v": pl.Series(values, dtype=pl.Int64),
            "w": pl.Series(other, dtype=pl.Int32),
            "s": pl.Series(pick("p", "q", "r", None), dtype=pl.String),
            "ts": pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("ms")),
        }
    ).with_columns(vw=pl.col("v") + pl.col("w"))


def _versions(rng: random.Random, count: int) -> pl.DataFrame:
    times = [START + 2000 * number for number in range(count)]
    return pl.DataFrame(
        {
            "id": pl.Series([rng.randrange(1, 4) for _ in range(count)], dtype=pl.Int32),
            "x": pl.Series([rng.randrange(9) for _ in range(count)], dtype=pl.Int64),
            "y": pl.Series([rng.choice("mn") for _ in range(count)], dtype=pl.String),
            "ts": pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("ms")),
        }
    )
