"""What checkpoints save bit by bit is what a snapshot saves at once, for all cases at each step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import polars as pl

from sameriver.common.state import StateTable
from sameriver.engine.job import Job
from sameriver.state.handle import StateStore, TrackingHandle
from sameriver.testing.modes import Mode, steps_for
from sameriver.testing.play import Player
from sameriver.testing.runner import find_scenarios, plan_of
from sameriver.testing.scenario import Scenario, Step

HERE = Path(__file__).parent.parent
ID = "$id"
LATER = {"match_recognize"}


class Follower(Player):
    """Captures all tables after each step, adds up what it is given, and compares."""

    compared = 0
    followed: Job | None = None

    def _do(self, steps: list[Step]) -> None:
        super()._do(steps)
        if self.followed is not self.job:
            self.followed = self.job
            self._saved_rows: dict[tuple[int, int, str], pl.DataFrame] = {}
        for number, vertex in enumerate(self.job._graph.vertices):
            for shard, operator in enumerate(vertex.operators):
                self._follow((number, shard), operator.context.store)

    def _follow(self, place: tuple[int, int], store: StateStore) -> None:
        captures = store.capture(whole=False)
        for name, capture in captures.items():
            delta = capture()
            rows = delta.rows.with_columns(pl.Series(ID, delta.ids, pl.Int64))
            assert rows.height == len(delta.ids)
            before = self._saved_rows.get((*place, name))
            if not delta.whole:
                assert before is not None
                void = pl.Series([*delta.ids, *delta.gone], dtype=pl.Int64).unique()
                rows = pl.concat([before.filter(~pl.col(ID).is_in(void.implode())), rows])
            self._saved_rows[(*place, name)] = rows
            handle = store._handles[name]
            keys = [column.name for column in handle.declaration.key]
            added = rows.sort(ID, maintain_order=True).drop(ID)
            now = self._clock.now()
            alive = unexpired(added, handle.declaration, now)
            held = unexpired(handle.snapshot(), handle.declaration, now)
            assert by_key(alive, keys) == by_key(held, keys), name
            Follower.compared += isinstance(handle, TrackingHandle)


def unexpired(rows: pl.DataFrame, table: StateTable, now: int) -> pl.DataFrame:
    """What has expired may be saved or not."""
    if table.ttl is None or "last_access" not in rows.columns:
        return rows
    oldest = now - table.ttl // timedelta(milliseconds=1)
    return rows.filter(pl.col("last_access").dt.epoch("ms") > oldest)


def by_key(rows: pl.DataFrame, keys: Sequence[str]) -> dict[str, list[str]]:
    """Rows of each key: in order where the key ends with a position, else sorted."""
    positioned = bool(keys) and keys[-1] == "position"
    if positioned:
        rows = rows.sort("position", maintain_order=True).drop("position")
        keys = keys[:-1]
    found = defaultdict(list)
    for row in rows.iter_rows(named=True):
        found[str([row[key] for key in keys])].append(str(row))
    return {key: lines if positioned else sorted(lines) for key, lines in found.items()}


def scenarios() -> list[Scenario]:
    found = [*find_scenarios([HERE / "cases"]), *find_scenarios([HERE / "golden"])]
    return [s for s in found if not (s.error or s.may_refuse or s.name in LATER)]


def test_captures_add_up() -> None:
    Follower.compared = 0
    for scenario in scenarios():
        plan = plan_of(scenario)
        player = Follower(plan.roots, plan.config, Mode.SHARDS, scenario.path)
        player.play(steps_for(Mode.ROW, scenario.steps))
    assert Follower.compared > 1000
