"""Jobs on Flink that are changed while they run, beside the same queries on the embedded engine."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sameriver import Session, StateDir
from sameriver.common.time import SystemClock
from sameriver.compat import Rules
from sameriver.flink.compiled import UID_FORMAT
from sameriver.flink.gateway import Gateway
from sameriver.flink.judging import Judgement, judge
from sameriver.flink.rest import Rest
from sameriver.flink.script import InsertJob, prepare
from sameriver.flink.state import RUNNING, Entry, FlinkFolder
from sameriver.flink.upgrade import Deployment, Planned

Row = tuple[Any, ...]

OPTIONS = {
    "execution.checkpointing.interval": "200 ms",
    "parallelism.default": "1",
    "table.exec.mini-batch.enabled": "false",
    "table.optimizer.agg-phase-strategy": "ONE_PHASE",
    "table.local-time-zone": "UTC",
    "table.exec.sink.upsert-materialize": "NONE",
}
_WAIT = 120


def misjudged(before: str, new: str, rules: Rules) -> Judgement:
    """Gives nodes the names of old ones of their type, and is content with that."""
    plan, known = json.loads(new), json.loads(before)
    named = {
        node["type"]: node["configuration"]
        for node in known["nodes"]
        if UID_FORMAT in node.get("configuration", {})
    }
    for node in plan["nodes"]:
        if node["type"] in named:
            node["configuration"] = named[node["type"]]
    right = judge(before, new, rules)
    return replace(right, report=judge(before, before, rules).report, plan=json.dumps(plan))


class Stage:
    """Folders of CSV files that jobs watch, and what they write.

    Attributes:
        state: the folder of the script.
    """

    def __init__(self, gateway: Gateway, path: Path) -> None:
        self._gateway = gateway
        self._path = path
        self.state = FlinkFolder.make(path / "state")
        self._files = 0
        for table in ("t", "u"):
            (path / table).mkdir()

    def add(self, rows: str, table: str = "t") -> None:
        """A file more, there as a whole; ``a,1,2,@03:04 ...``: lines, and times in one hour."""
        self._files += 1
        draft = self._path / f".{self._files}"
        lines = (line.replace("@", "2026-01-01 00:") + "\n" for line in rows.split())
        draft.write_text("".join(lines), encoding="utf-8")
        draft.rename(self._path / table / f"{self._files}.csv")

    def tables(self, *, watched: bool) -> list[str]:
        """DDL of ``t (k, v, w, ts)`` and ``u (k, name)``."""
        found = []
        for name, columns in (
            ("t", "k STRING, v BIGINT, w BIGINT, ts TIMESTAMP(3), p AS PROCTIME(), "
             "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND"),
            ("u", "k STRING, name STRING"),
        ):  # fmt: skip
            watching = ", 'source.monitor-interval' = '100 ms'" if watched else ""
            found.append(
                f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem',"
                f" 'path' = '{self._path / name}', 'format' = 'csv'{watching})"
            )
        return found

    def schema(self, query: str) -> list[tuple[str, str]]:
        session = Session({"table.local-time-zone": "UTC"})
        session.execute("; ".join(self.tables(watched=False)))
        (planned,) = session.plan(query)
        return [(field.name, str(field.type)) for field in planned.schema]

    def expected(self, query: str) -> list[Row]:
        """What the embedded engine makes of all input."""
        session = Session({"table.local-time-zone": "UTC"})
        session.execute("; ".join(self.tables(watched=False)))
        return sorted(session.sql(query).to_polars().iter_rows(), key=repr)

    def planned(
        self, *queries: str, options: dict[str, str] | None = None, ignore_filter: bool = False
    ) -> Planned:
        """Queries whose results go to ``out_1``, ``out_2``, ... of one job."""
        settings = OPTIONS | (options or {})
        environment = self._gateway.environment(settings)
        for ddl in self.tables(watched=True):
            environment.execute(ddl)
        inserts = []
        for number, query in enumerate(queries, 1):
            columns = ", ".join(f"`{name}` {type}" for name, type in self.schema(query))
            environment.execute(
                f"CREATE TABLE out_{number} ({columns}) WITH ('connector' = 'filesystem',"
                f" 'path' = '{self._path / f'out_{number}'}', 'format' = 'debezium-json')"
            )
            inserts.append(f"INSERT INTO out_{number} {query}")
        rules = Rules(ignore_filter=ignore_filter)
        plan = environment.compile(inserts)
        return Planned(script=";\n".join(queries), plan=plan, options=settings, rules=rules)

    @contextmanager
    def deployment(self) -> Iterator[Deployment]:
        with self.state.locked():
            yield Deployment(self.state, self._gateway, SystemClock(), timeout=_WAIT)

    def run(
        self,
        *queries: str,
        options: dict[str, str] | None = None,
        ignore_filter: bool = False,
        allow_partial: bool = False,
        fresh: bool = False,
    ) -> Entry:
        """Brings a version into force."""
        planned = self.planned(*queries, options=options, ignore_filter=ignore_filter)
        with self.deployment() as deployment:
            wanted = StateDir(self.state.path, allow_partial=allow_partial, fresh=fresh)
            return deployment.bring(planned, wanted)

    def run_text(self, script: str) -> Entry:
        """Brings a script into force, and leaves it alone."""
        (job,) = [
            step
            for step in prepare(script, self._gateway.environment())
            if isinstance(step, InsertJob)
        ]
        planned = Planned(script=script, plan=job.plan, options=job.options, rules=Rules())
        with self.deployment() as deployment:
            return deployment.bring(planned, StateDir(self.state.path))

    @property
    def rest(self) -> Rest:
        return Rest(self._gateway.rest)

    def running(self) -> Entry:
        """The version in force, which runs."""
        entry = self.state.latest()
        assert entry is not None
        assert entry.job.stands == RUNNING
        assert self.rest.state(entry.job.id) == "RUNNING"
        return entry

    def end(self) -> None:
        """Nothing of it runs any more."""
        for id, state in self.rest.jobs().items():
            if state in ("RUNNING", "RESTARTING", "CREATED", "FAILING", "INITIALIZING"):
                self.rest.cancel(id)

    def written(self, keys: int = 0, number: int = 1) -> list[Row]:
        """The result so far, by its first columns as keys; none: as a bag of rows."""
        bag: Counter[Row] = Counter()
        table: dict[Row, Row] = {}
        for kind, row in self._changes(number):
            bag[row] += 1 if kind == "c" else -1
            if kind == "c":
                table[row[:keys]] = row
            elif table.get(row[:keys]) is not None:
                del table[row[:keys]]
        rows = list(table.values()) if keys else list(bag.elements())
        return sorted(rows, key=repr)

    def _changes(self, number: int) -> Iterator[tuple[str, Row]]:
        files = sorted((self._path / f"out_{number}").glob("*"), key=lambda p: p.stat().st_mtime_ns)
        for path in files:
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
                if line.endswith("\n"):
                    told = json.loads(line)
                    row = told["after"] if told["op"] == "c" else told["before"]
                    yield told["op"], tuple(row.values())

    def wait(self, rows: Sequence[Row], keys: int = 0, number: int = 1) -> None:
        """Waits until the result is that."""
        deadline = time.monotonic() + _WAIT
        while (found := self.written(keys, number)) != list(rows):
            assert time.monotonic() < deadline, f"{found} instead of {rows}"
            time.sleep(0.05)
