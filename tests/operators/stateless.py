"""Building blocks for tests of stateless operators."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import KINDS, Changes, Event, Watermark
from sameriver.common.config import Config
from sameriver.common.schema import Schema
from sameriver.common.time import ManualClock
from sameriver.common.types import BIGINT, ROWTIME, STRING
from sameriver.operators.operator import OperatorContext
from sameriver.plan.physical.scan import Scan
from sameriver.plan.table import Table

SCHEMA = Schema.of([("k", STRING), ("n", BIGINT), ("ts", ROWTIME)])
SCAN = Scan(schema=SCHEMA, table=Table(name="Orders", schema=SCHEMA, physical=SCHEMA.fields))
Row = tuple[str | None, int | None, int | None]


def context(**options: str) -> OperatorContext:
    config = Config({key.replace("__", "-").replace("_", "."): v for key, v in options.items()})
    return OperatorContext(clock=ManualClock(1_000), config=config, zone=ZoneInfo("UTC"))


def changes(
    *rows: Row, kinds: Sequence[int] | None = None, watermarks: Sequence[int] | None = None
) -> Changes:
    """Rows of k, n and ts (ms)."""
    schema = {"k": pl.String, "n": pl.Int64, "ts": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row").cast({"ts": pl.Datetime("ms")})
    return Changes(
        frame,
        None if kinds is None else pl.Series(kinds, dtype=KINDS),
        None if watermarks is None else pl.Series(watermarks, dtype=pl.Int64),
    )


def shown(events: Sequence[Event]) -> list[object]:
    """Events as plain values: a watermark's time, or rows with what they carry."""
    out: list[object] = []
    for event in events:
        if isinstance(event, Watermark):
            out.append(event.time)
        elif event.watermarks is not None:
            out.append(list(zip(event.rows.rows(), event.watermarks, strict=True)))
        else:
            out.append(event.rows.rows())
    return out
