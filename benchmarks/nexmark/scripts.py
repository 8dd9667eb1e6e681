"""The queries of Nexmark over a source and into a sink of one's choice, as SQL.

A query's file makes its ``sink`` and ends with one INSERT into it; it reads the views ``person``,
``auction`` and ``bid``, which ``sources`` define over the table ``events``. ``${...}`` in a file
stands for the options of a WITH clause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

HERE = Path(__file__).parent
NAMES = tuple(f"q{number}" for number in range(24) if number != 6)
"""All that Flink SQL can run: q6 needs an OVER window over a stream that is updated."""
BLACKHOLE = {"connector": "blackhole"}
VIEWS = {"json": "views", "csv": "views_flat", "parquet": "views_flat"}
"""The views over a file of each format."""

SIDE_ROWS = 10_000
"""Rows of the side input of q13."""


@dataclass(frozen=True, slots=True)
class Script:
    """A query: what it needs first, and its INSERT."""

    setup: tuple[str, ...]
    insert: str

    @property
    def select(self) -> str:
        """What the INSERT writes."""
        return self.insert.partition("INSERT INTO sink\n")[2]

    @property
    def text(self) -> str:
        return ";\n".join((*self.setup, self.insert)) + ";\n"


def query(name: str, folder: Path, sink: Mapping[str, str] = BLACKHOLE) -> Script:
    """A query that writes to a table of these options; q10 writes files below ``folder``.

    Args:
        name: such as ``q5``.
        folder: what ``write.py`` filled: it holds the side input.
        sink: options of the sink.
    """
    files = {"connector": "filesystem", "path": str(folder / "log"), "format": "csv"}
    files |= {"sink.partition-commit.policy.kind": "success-file"}
    side = {"connector": "filesystem", "path": str(folder / "side_input.csv"), "format": "csv"}
    *setup, insert = _statements(
        HERE / "queries" / f"{name}.sql", sink=sink, files=files, side=side
    )
    return Script(tuple(setup), insert)


def generated(events: int, seed: int = 0, rate: int = 10_000) -> list[str]:
    """The source ``events`` made as it is read, and its views."""
    options = {"connector": "nexmark", "events.num": str(events), "seed": str(seed)}
    rates = {"first-event.rate": str(rate), "next-event.rate": str(rate)}
    return _source("nested", "views", options | rates)


def read(format: str, folder: Path) -> list[str]:
    """The source ``events`` read from the file that ``write.py`` made there, and its views."""
    shape = "nested" if format == "json" else "flat"
    return _source(shape, VIEWS[format], file_options(format, folder))


def file_options(format: str, folder: Path) -> dict[str, str]:
    """Options of the table of all events in a folder."""
    options = {"connector": "filesystem", "path": str(folder / format), "format": format}
    # An absent field is written as nothing.
    return options | ({"csv.null-literal": ""} if format == "csv" else {})


def table(shape: str, options: Mapping[str, str], name: str = "events") -> str:
    """A table of all events, ``nested`` or ``flat``."""
    (statement,) = _statements(HERE / "sources" / f"{shape}.sql", options=options)
    return statement.replace("TABLE events", f"TABLE {name}")


def _source(shape: str, views: str, options: Mapping[str, str]) -> list[str]:
    return [table(shape, options), *_statements(HERE / "sources" / f"{views}.sql")]


def _statements(path: Path, **options: Mapping[str, str]) -> list[str]:
    text = Template(path.read_text()).substitute(
        {name: _with(values) for name, values in options.items()}
    )
    return [statement.strip() for statement in text.split(";\n") if statement.strip()]


def _with(options: Mapping[str, str]) -> str:
    return ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
