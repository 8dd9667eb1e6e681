"""Nexmark on sameriver, Apache Flink and DuckDB: ``python -m benchmarks.nexmark.run --quick``.

Engines take turns over the same file. Each query has a process of each engine; its first job warms
it up, and tells the time of the whole process. Each turn has two jobs, of which the second counts:
the first finds its memory again after the turn of the others. The medians are by the engines' own
clocks: Flink's from the start of the job to FINISHED, ours from the text of the statement to the
end of the job. A smaller file is read to compare what the results add up to.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.nexmark.about import about
from benchmarks.nexmark.engines import ROOT, duckdb, flink, sameriver
from benchmarks.nexmark.figures import Figures, Targets
from benchmarks.nexmark.report import report, summary, table
from benchmarks.nexmark.scripts import NAMES
from benchmarks.nexmark.turns import Plan, figures
from benchmarks.nexmark.write import FORMATS, write

_SMALL = 40_000
_SMALL_RATE = 1_000
"""Events that results are compared on, and how many of them a second of event time has."""
_KEPT = ROOT / ".venv-oracle"
"""Where ``make bench-nexmark`` puts what Flink needs."""


def prepared(format: str, folder: Path, options: argparse.Namespace) -> Plan:
    """Files written, unless they are there."""
    large, small = folder / f"{options.events}", folder / f"{_SMALL}-small"
    write(format, large, options.events)
    write(format, small, _SMALL, rate=_SMALL_RATE)
    return Plan(
        format=format, events=options.events, repeat=options.repeat, quick=options.quick,
        folder=large, small=small,
    )  # fmt: skip


def readable(formats: Sequence[str], jars: Sequence[Path], folder: Path) -> list[str]:
    """The formats that Flink can read with these jars."""
    if jars or "parquet" not in formats:
        return list(formats)
    print(f"Flink can't read Parquet, for which '{folder}' has no jars: CSV is read instead.")
    return list(dict.fromkeys("csv" if format == "parquet" else format for format in formats))


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--events", type=int, help="in the file; 2,000,000, quick: 200,000")
    parser.add_argument("--repeat", type=int, help="turns; 3, quick: 1")
    parser.add_argument("--format", choices=FORMATS, action="append", dest="formats",
                        help="parquet; may be given several times")  # fmt: skip
    parser.add_argument("--queries", default=",".join(NAMES), help="such as q0,q5")
    parser.add_argument("--quick", action="store_true", help="a small file, five minutes in all")
    parser.add_argument("--folder", type=Path, help="keeps the files for the next run")
    parser.add_argument("--flink", type=Path, default=_KEPT / "bin" / "python",
                        help="Python with apache-flink")  # fmt: skip
    parser.add_argument("--jars", type=Path, default=_KEPT / "jars",
                        help="folder of what Flink reads Parquet with")  # fmt: skip
    parser.add_argument("--set", action="append", default=[], help="option of ours: key=value")
    parser.add_argument("--write", type=Path, help="file of the page; the figures go beside it")
    options = parser.parse_args(given)
    if not options.flink.exists():
        parser.error(f"no Python with apache-flink at '{options.flink}': --flink takes another")
    if unknown := set(options.queries.split(",")) - {*NAMES}:
        parser.error(f"no query '{min(unknown)}': there are {', '.join(NAMES)}")
    options.events = options.events or (200_000 if options.quick else 2_000_000)
    options.repeat = options.repeat or (1 if options.quick else 3)
    return options


def main() -> None:
    options = arguments()
    jars = sorted(options.jars.absolute().glob("*.jar"))
    ours = {"parallelism.default": "2", **dict(pair.split("=", 1) for pair in options.set)}
    engines = [sameriver(ours), flink(options.flink, jars), duckdb()]
    settings = about(options, engines)
    found: dict[str, list[Figures]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).absolute()
        for format in readable(options.formats or ["parquet"], jars, options.jars):
            plan = prepared(format, folder, options)
            for one in figures(options.queries.split(","), plan, engines):
                found.setdefault(format, []).append(one)
                print(table([one]).splitlines()[-1], flush=True)
                # What was found is kept if a later query is never reached.
                keep(found, settings, options.write)
            print(summary(found[format], Targets()), flush=True)


def keep(
    found: Mapping[str, Sequence[Figures]], settings: Mapping[str, str], page: Path | None
) -> None:
    """Writes the page, and the figures beside it."""
    if page is None:
        return
    sections = {
        f"Reading {format.upper()}": f"{summary(these, Targets())}\n\n{table(these)}"
        for format, these in found.items()
    }
    page.write_text(report(sections, settings))
    figures = {format: [one.json() for one in these] for format, these in found.items()}
    page.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
