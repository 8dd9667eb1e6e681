"""The main job on a year of real flights: CUMULATE per airport and hour, and what it found."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import plotext
import polars as pl
from rich.console import Console
from rich.table import Table

from data import FOLDER, prepare
from sameriver import Session
from sameriver.cli.progress import ProgressLine

SCRIPT = Path(__file__).with_name("cumulate.sql")
OUTPUT = FOLDER / "departures_today"
COLUMNS = ["origin", "start", "end", "departures", "cancelled", "delay", "aircraft"]
DAY = "2013-07-22"
"""A day of thunderstorms around New York."""


def run() -> tuple[int, float]:
    """Runs the job; rows read and seconds."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    line = ProgressLine()
    started = time.perf_counter()
    Session().execute(SCRIPT.read_text(encoding="utf-8"), progress=line)
    seconds = time.perf_counter() - started
    rows = line.last.rows_in if line.last else 0
    line.close()
    return rows, seconds


def results() -> pl.DataFrame:
    """What the job wrote: a row an hour and airport, each the total since midnight."""
    frame = pl.read_csv(OUTPUT / "*.csv", has_header=False, new_columns=COLUMNS)
    times = pl.col("start", "end").str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="ms")
    return frame.with_columns(times)


def summary(frame: pl.DataFrame) -> Table:
    """Totals of the year: the last row of each day holds the whole day."""
    whole = frame.filter(pl.col("end") - pl.col("start") == pl.duration(days=1))
    total = whole.group_by("origin").agg(
        pl.len().alias("days"),
        pl.sum("departures", "cancelled", "delay"),
        pl.max("departures").alias("busiest"),
        pl.mean("aircraft").round(1),
    )
    table = Table(
        title="Departures of 2013, from the daily running totals",
        caption="A 366th day: flights of New Year's Eve that left after midnight",
    )
    for heading in ("airport", "days", "departures", "cancelled", "mean delay", "busiest day"):
        table.add_column(heading, justify="left" if heading == "airport" else "right")
    table.add_column("aircraft a day", justify="right")
    for row in total.sort("origin").iter_rows(named=True):
        table.add_row(
            row["origin"],
            f"{row['days']}",
            f"{row['departures']:,}",
            f"{row['cancelled']:,}",
            f"{row['delay'] / row['departures']:.1f} min",
            f"{row['busiest']:,}",
            f"{row['aircraft']:.1f}",
        )
    return table


def chart(frame: pl.DataFrame) -> str:
    """Departures so far on one day, hour by hour, a line an airport."""
    day = frame.filter(pl.col("start").dt.strftime("%Y-%m-%d") == DAY).sort("end")
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(90, 22)
    for (origin,), rows in day.group_by(["origin"], maintain_order=True):
        hours = ((rows["end"] - rows["start"]).dt.total_minutes() / 60).to_list()
        plotext.plot(hours, rows["departures"].to_list(), label=str(origin))
    plotext.title(f"Departures so far on {DAY}")
    plotext.xlabel("hour of the day in New York")
    return str(plotext.build())


def main() -> None:
    prepare()
    rows, seconds = run()
    found = results()
    console = Console()
    console.print(summary(found))
    print(chart(found))
    print(f"{rows:,} rows in {seconds:.2f} s: {rows / seconds:,.0f} rows/s")
    print(f"{len(found):,} rows written to {OUTPUT}, each once: no row was taken back")


if __name__ == "__main__":
    main()
