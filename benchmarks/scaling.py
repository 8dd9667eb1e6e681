"""What a row costs as things grow: ``python -m benchmarks.scaling [--rows N] [--write FOLDER]``.

Batches lie in memory and are pushed through the engine, so that reading files is not measured.
Each figure is the median of a few passes over the same batches. Beside it stands the part of it
that the operating system took, nearly all of it to hand out memory.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sameriver import Session
from sameriver.common.changes import Changes
from sameriver.engine.job import Job

_BATCH = 262_144
_KEYS = 100_000
"""Keys where something else varies."""


@dataclass(frozen=True, slots=True)
class Point:
    """One figure: the value of what varies, and what a row cost there.

    Attributes:
        system_ns: CPU time of the operating system in it.
    """

    series: str
    x: int
    ns_per_row: float
    system_ns: float = 0.0

    @property
    def rows_per_second(self) -> float:
        return 1e9 / self.ns_per_row

    @property
    def shown(self) -> float:
        """What is drawn: the cost of a row, or of a column of it."""
        return self.ns_per_row / (self.x if self.series == "columns" else 1)

    @property
    def own(self) -> float:
        """The same without what the operating system took."""
        return self.shown * (1 - self.system_ns / self.ns_per_row)


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, changes: Changes) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...


def started(sums: int = 1, shards: int = 1) -> Job:
    """A job that adds ``sums`` columns up by key."""
    session = Session({"parallelism.default": str(shards)})
    names = [f"v{number}" for number in range(sums)]
    columns = "".join(f", {name} BIGINT" for name in names)
    session.execute(f"CREATE TABLE t (k BIGINT{columns}) WITH ('connector' = 'datagen');")
    totals = "".join(f", SUM({name}) AS {name}" for name in names)
    (plan,) = session.plan(f"SELECT k, COUNT(*) AS n{totals} FROM t GROUP BY k;")
    return session.job(plan, sink=Nowhere())


def batches(keys: np.ndarray, size: int = _BATCH, sums: int = 1) -> list[Changes]:
    """Rows of these keys."""
    rows = pl.DataFrame({"k": keys, **{f"v{number}": keys & 1023 for number in range(sums)}})
    return [Changes(part) for part in rows.iter_slices(size)]


def push(job: Job, rows: Sequence[Changes]) -> tuple[float, float]:
    """Pushes all batches; ns a row, and those of the operating system in them."""
    (scan,) = job.sources
    system, start = resource.getrusage(resource.RUSAGE_SELF).ru_stime, time.perf_counter()
    for batch in rows:
        job.push_rows(scan, batch)
    wall = time.perf_counter() - start
    system = resource.getrusage(resource.RUSAGE_SELF).ru_stime - system
    count = sum(map(len, rows))
    return wall / count * 1e9, system / count * 1e9


def steady(
    job: Job, keys: np.ndarray, rows: Sequence[Changes], passes: int = 3
) -> tuple[float, float]:
    """As ``push``, once all ``keys`` are known: the median."""
    push(job, batches(keys, sums=rows[0].rows.width - 1))
    found = sorted(push(job, rows) for _ in range(passes))
    job.close()
    return found[passes // 2]


def _random(keys: int, rows: int) -> np.ndarray:
    return np.random.default_rng(keys).integers(0, keys, rows)


def by_keys(rows: int) -> Iterator[Point]:
    """Random keys out of so many, all of which have state."""
    for keys in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        cost = steady(started(), np.arange(keys), batches(_random(keys, rows)))
        yield Point("keys", keys, *cost)


def by_state(rows: int) -> Iterator[Point]:
    """Every row has a new key: what the next ones cost once there are so many."""
    job, fresh = started(), np.random.default_rng(7).permutation(16_000_000)
    begin = 0
    for size in (1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000):
        added = batches(fresh[begin:size])
        yield Point("state", size, *push(job, added))
        begin = size
    job.close()


def by_columns(rows: int) -> Iterator[Point]:
    """So many columns, each added up."""
    for sums in (1, 2, 4, 8, 16, 32):
        made = batches(_random(_KEYS, rows), sums=sums)
        yield Point("columns", sums, *steady(started(sums), np.arange(_KEYS), made))


def by_shards(rows: int) -> Iterator[Point]:
    """A million keys in one shard, and in two."""
    for shards in (1, 2):
        made = batches(_random(1_000_000, rows))
        cost = steady(started(shards=shards), np.arange(1_000_000), made)
        yield Point("shards", shards, *cost)


def by_batch(rows: int) -> Iterator[Point]:
    """Batches of so many rows."""
    for size in (100, 1_000, 10_000, 100_000, 1_000_000):
        made = batches(_random(_KEYS, min(rows, size * 500)), size)
        yield Point("batch", size, *steady(started(), np.arange(_KEYS), made))


SERIES: dict[str, Callable[[int], Iterator[Point]]] = {
    "keys": by_keys,
    "state": by_state,
    "columns": by_columns,
    "shards": by_shards,
    "batch": by_batch,
}
LABELS = {
    "keys": "keys with state",
    "state": "keys so far; each row has a new one",
    "columns": "columns that are added up",
    "shards": "shards",
    "batch": "rows in a batch",
}

TITLES = {
    "keys": "Number of keys",
    "state": "Size of the state",
    "columns": "Number of columns",
    "shards": "Shards",
    "batch": "Size of batches (both axes log)",
}
_EVEN = ("columns", "shards")
"""Series whose values are few and stand at even distances."""


def write_csv(points: Sequence[Point], path: Path) -> None:
    """The numbers, a line each."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["series", "x", "ns_per_row", "system_ns", "rows_per_second"])
        writer.writeheader()
        for point in points:
            costs = {"ns_per_row": point.ns_per_row, "system_ns": point.system_ns}
            rounded = {name: round(cost, 1) for name, cost in costs.items()}
            rate = round(point.rows_per_second)
            writer.writerow({**asdict(point), **rounded, "rows_per_second": rate})


def plot(points: Sequence[Point], path: Path) -> None:
    """One picture, a panel for each series."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(point.series for point in points))
    figure, panels = pyplot.subplots(1, len(names), figsize=(3.2 * len(names), 3.2), squeeze=False)
    for name, panel in zip(names, panels[0], strict=True):
        chosen = [point for point in points if point.series == name]
        values = [point.x for point in chosen]
        panel.plot(values, [point.shown for point in chosen], marker="o", label="all")
        without = [point.own for point in chosen]
        panel.plot(values, without, "--", color="tab:orange", label="without the system's part")
        panel.set_title(TITLES[name], fontsize=10)
        panel.set_xlabel(LABELS[name])
        panel.set_ylabel("ns a column of a row" if name == "columns" else "ns a row")
        panel.grid(alpha=0.3)
        if name in _EVEN:
            panel.set_xticks(values)
        else:
            panel.set_xscale("log")
        if name == "batch":
            panel.set_yscale("log")
        else:
            panel.set_ylim(0, 1.15 * max(point.shown for point in chosen))
        if name == "state":
            panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000, help="in each pass")
    parser.add_argument("--series", choices=list(SERIES))
    parser.add_argument("--write", type=Path, help="folder for scaling.csv and scaling.png")
    options = parser.parse_args()
    points = []
    for name, series in SERIES.items():
        if options.series in (None, name):
            for point in series(options.rows):
                points.append(point)
                rate = point.rows_per_second / 1e6
                costs = f"{point.ns_per_row:9.1f} ns, {point.system_ns:6.1f} of the system"
                print(f"{name:<8} {point.x:>11,} {costs} {rate:8.2f} M rows/s", flush=True)
    if options.write is not None:
        write_csv(points, options.write / "scaling.csv")
        plot(points, options.write / "scaling.png")


if __name__ == "__main__":
    main()
