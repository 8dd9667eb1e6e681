"""The cases of compatibility on Flink: what the check says, and what a restored job really does."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flink_jobs import Row, Stage

from compat.cases import Case, cases
from sameriver import Session
from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import CHARACTERS, Root, TimeAttribute
from sameriver.compat import Verdict
from sameriver.flink.check import check_on_flink
from sameriver.flink.gateway import Gateway

FULL = {case.id: case for case in cases() if case.verdict == "FULLY_COMPATIBLE"}
REFUSED = {
    "GAGG-02-c1": "Flink finds aggregates by their place; what one reads is no longer there",
    "GAGG-02-c2": "the same",
    "OVER-05-c1": "Flink finds aggregates by their place",
    "GWIN-05-c1": "Flink finds aggregates by their place",
    "WTVF-02-c1": "Flink finds aggregates by their place",
    "WTVF-02-c2": "Flink finds aggregates by their place",
    "WTVF-05-c2": "Flink finds aggregates by their place",
}
"""Cases whose state our engine carries over, and Flink does not."""
NOT_THERE = ("LJOIN-01-c1", "LJOIN-01-c2")
"""Cases that need what Flink's package lacks."""

RESTORED = (
    (
        "DOC-D1", "ALIAS-01-c1", "ALIAS-01-c2", "ALIAS-02-c2", "GWIN-07-c1", "WTOPN-02-c1",
        "WTVF-07-c1", "DEDUP-02-c1", "TOPN-03-c1",
    ),
    (
        "DOC-D2", "GWIN-07-c2", "WTOPN-03-c1", "WTVF-09-c1", "GAGG-05-c1", "DEDUP-04-c1",
        "WTVF-08-c1", "IJOIN-05-c2",
    ),
    (
        "DOC-D3", "GWIN-08-c1", "WTOPN-04-c1", "WTVF-07-c3", "DEDUP-04-c2", "OVER-02-c2",
        "WTVF-09-c2", "GAGG-11-c1",
    ),
    ("DOC-D4", "DOC-D5", "GWIN-07-c3", "GWIN-08-c2", "DEDUP-04-c3", "DEDUP-03-c2"),
)  # fmt: skip
"""Cases that are restored for real, by the jobs that they share."""
_START = datetime(2026, 1, 1)
_LAST = datetime(2030, 1, 1)
_WAIT = 60


@pytest.mark.parametrize("id", FULL)
def test_check(gateway: Gateway, id: str) -> None:
    case = FULL[id]
    options = {**case.old_config, **case.new_config}
    if id in NOT_THERE:
        with pytest.raises(UserError):
            check_on_flink(gateway, case.old, case.new, options)
        return
    report = check_on_flink(gateway, case.old, case.new, options)
    expected = Verdict.INCOMPATIBLE if id in REFUSED else Verdict.FULL
    assert report.verdict is expected, [one.to_json() for one in report.operators]


def test_thirty_are_restored() -> None:
    assert sum(map(len, RESTORED)) >= 30
    assert not set(REFUSED) & {id for ids in RESTORED for id in ids}


class CaseStage(Stage):
    """Tables of a case, read from files."""

    def __init__(self, gateway: Gateway, path: Path, chosen: Sequence[Case]) -> None:
        super().__init__(gateway, path)
        self._folders = path
        tables = (table for case in chosen for table in _split(case.old)[0])
        self._columns = {table.split()[2]: table.rsplit("WITH", 1)[0] for table in tables}
        self.names = list(self._columns)
        for name in self.names:
            (path / name).mkdir()

    def tables(self, *, watched: bool) -> list[str]:
        watching = ", 'source.monitor-interval' = '100 ms'" if watched else ""
        found = []
        for name, columns in self._columns.items():
            options = f"'path' = '{self._folders / name}', 'format' = 'csv'{watching}"
            found.append(f"{columns} WITH ('connector' = 'filesystem', {options})")
        return found

    def schema(self, query: str) -> list[tuple[str, str]]:
        """Columns of a query, without what makes time attributes of them."""
        return [(field.name, field.type.name) for field in self._fields(query)]

    def _fields(self, query: str) -> Schema:
        session = Session({"table.local-time-zone": "UTC"})
        session.execute("; ".join(self.tables(watched=False)))
        (planned,) = session.plan(query)
        return planned.schema

    def feed(self, minutes: range, *, last: bool = False) -> None:
        """A row a minute into each table; a last one lets all windows close."""
        self._files += 1
        for table, name in enumerate(self.names):
            rows = [
                self._row(name, minute, _START + timedelta(minutes=minute, seconds=table))
                for minute in minutes
            ]
            rows += [self._row(name, None, _LAST)] if last else []
            draft = self._folders / f".{self._files}"
            draft.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
            draft.rename(self._folders / name / f"{self._files}.csv")

    def _row(self, table: str, minute: int | None, when: datetime) -> str:
        cells = (
            _cell(field, place, minute, when)
            for place, field in enumerate(self._fields(f"SELECT * FROM {table}"))
            if field.type.attribute is not TimeAttribute.PROCTIME
        )
        return ",".join(cells)

    def changes(self, number: int) -> Counter[tuple[str, Row]]:
        """What has been written, but for what comes of the last row."""
        told = ((op, tuple(map(_plain, row))) for op, row in self._changes(number))
        return Counter((op, row) for op, row in told if not _is_last(row))

    def results(self, query: str) -> Counter[Row]:
        """What the embedded engine makes of all rows there are."""
        rows = (tuple(map(_plain, row)) for row in self.expected(query))
        return Counter(row for row in rows if not _is_last(row))


def _cell(field: Field, place: int, minute: int | None, when: datetime) -> str:
    """Keys and texts come again, but for every third key; figures are all different."""
    if field.type.root is Root.TIMESTAMP:
        return f"{when:%Y-%m-%d %H:%M:%S}"
    if field.type.root in CHARACTERS:
        return "zz" if minute is None else "abc"[(minute + place) % 3]
    if minute is None:
        return "999999"
    is_key = field.name.endswith("_id") or field.name in ("a", "b", "qty")
    key = (minute + place) % 4 if minute % 3 else 20 + minute
    return str(key if is_key else 100 + 10 * minute + place)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d", value):
        return datetime.fromisoformat(value.replace("Z", ""))
    return value


def _is_last(row: Row) -> bool:
    return any(
        value in ("zz", 999999, 999999.0) or (isinstance(value, datetime) and value.year >= 2029)
        for value in row
    )


def _split(script: str) -> tuple[list[str], str]:
    """The tables of a case, and its query."""
    *tables, query = (part.strip() for part in script.strip().rstrip(";").split(";"))
    return tables, query


@pytest.mark.parametrize("ids", RESTORED, ids=lambda ids: ids[0])
def test_restored(gateway: Gateway, tmp_path: Path, ids: tuple[str, ...]) -> None:
    """All rows that are new for the new query come; all that come and go are right."""
    chosen = [FULL[id] for id in ids]
    stage = CaseStage(gateway, tmp_path, chosen)
    try:
        _restore(stage, chosen)
    finally:
        stage.end()


def _restore(stage: CaseStage, chosen: Sequence[Case]) -> None:
    olds = [_split(case.old)[1] for case in chosen]
    news = [_split(case.new)[1] for case in chosen]
    stage.feed(range(13))
    stage.run(*olds)
    _settle(stage, len(olds))
    before = [stage.results(new) for new in news]
    assert stage.run(*news).version.verdict == "FULLY_COMPATIBLE"
    stage.running()
    written = [stage.changes(number) for number in range(1, len(news) + 1)]
    stage.feed(range(13, 26), last=True)
    for number, (case, new) in enumerate(zip(chosen, news, strict=True), 1):
        after = stage.results(new)
        missing = after - before[number - 1]
        assert missing, case.id
        deadline = time.monotonic() + _WAIT
        while True:
            come, gone = _net(stage.changes(number) - written[number - 1])
            if not missing - come or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        assert not missing - come, case.id
        assert not come - after, case.id
        assert not gone - before[number - 1], case.id


def _net(changes: Counter[tuple[str, Row]]) -> tuple[Counter[Row], Counter[Row]]:
    """What has come and what has gone in the end."""
    come = Counter({row: count for (op, row), count in changes.items() if op == "c"})
    gone = Counter({row: count for (op, row), count in changes.items() if op != "c"})
    return come - gone, gone - come


def _settle(stage: CaseStage, queries: int) -> None:
    """Waits until the first rows have been read: queries have written, and write no more.

    One may have to wait for its windows to close.
    """
    deadline, last, since = time.monotonic() + _WAIT, -1, time.monotonic()
    while time.monotonic() < deadline:
        counts = [sum(stage.changes(number).values()) for number in range(1, queries + 1)]
        if sum(counts) != last:
            last, since = sum(counts), time.monotonic()
        if sum(map(bool, counts)) >= queries - 1 and time.monotonic() - since > 1:
            return
        time.sleep(0.1)
    raise AssertionError(counts)
