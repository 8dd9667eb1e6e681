"""Fired windows as the rows and watermarks that an operator gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from sameriver.common.changes import Changes, Event, Watermark
from sameriver.common.schema import Schema
from sameriver.common.time import Clock
from sameriver.common.types import Root, to_polars
from sameriver.operators.windows.batch import END, START
from sameriver.operators.windows.time import WindowTime
from sameriver.plan.window import WindowProperty
from sameriver.state.kernels.types import Ints

Properties = tuple[tuple[str, WindowProperty], ...]


class Output:
    """Builds rows of a schema that has keys, calls and properties of windows."""

    def __init__(
        self, schema: Schema, properties: Properties, time: WindowTime, clock: Clock
    ) -> None:
        self._schema = schema
        self._properties = properties
        self._time = time
        self._clock = clock

    def rows(self, fired: pl.DataFrame) -> pl.DataFrame:
        """The rows of the schema."""
        starts, ends = (fired[name].to_numpy() for name in (START, END))
        columns = {column.name: column for column in fired.get_columns()}
        for name, which in self._properties:
            columns[name] = self._property(name, which, starts, ends)
        return pl.DataFrame([columns[name] for name in self._schema.names])

    def _property(self, name: str, which: WindowProperty, starts: Ints, ends: Ints) -> pl.Series:
        type = self._schema[name]
        zoned = type.root is Root.TIMESTAMP_LTZ
        match which:
            case WindowProperty.PROCTIME:
                times = pl.Series(np.full(len(ends), self._clock.now())).cast(pl.Datetime("ms"))
                times = times.dt.replace_time_zone("UTC")
            case WindowProperty.TIME if zoned:
                times = self._time.instants(ends)
            case _:
                ms = {WindowProperty.START: starts, WindowProperty.END: ends}.get(which, ends - 1)
                times = pl.Series(ms).cast(pl.Datetime("ms"))
        return times.cast(to_polars(type)).alias(name)


def spread(
    rows: pl.DataFrame,
    kinds: pl.Series | None,
    positions: Ints,
    watermark: int,
    watermarks: pl.Series,
) -> Iterator[Event]:
    """Rows that fired inside a batch, with the watermarks between them.

    Args:
        rows: in the order in which they fired.
        kinds: of the rows.
        positions: row of the batch on which each fired; its watermark comes after what it fires.
        watermark: in force before the batch.
        watermarks: in force after each row of the batch.
    """
    after = watermarks.to_numpy()
    before = np.append(watermark, after[:-1])
    if rows.height:
        first = int(before[positions[0]])
        if first > watermark:
            yield Watermark(first)
        following = np.append(before[positions[1:]], after[-1])
        yield Changes(rows, kinds, pl.Series(following))
    elif after[-1] > watermark:
        yield Watermark(int(after[-1]))
