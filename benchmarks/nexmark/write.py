"""Writes the events of Nexmark to files: ``python -m benchmarks.nexmark.write --events N FOLDER``.

The events of one format are one file in the folder of its name: JSON in the published shape, a row
within the row for each kind; CSV and Parquet flat, with a column for each field of each kind.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.nexmark.scripts import HERE, SIDE_ROWS, file_options, generated, table

from sameriver import Session

FORMATS = ("parquet", "json", "csv")


def write(format: str, folder: Path, events: int, seed: int = 0, rate: int = 10_000) -> None:
    """Writes events and the side input of q13, unless they are there.

    Args:
        format: one of ``FORMATS``.
        folder: gets a folder for the format.
        events: how many.
        seed: of the events.
        rate: events per second of event time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    side = folder / "side_input.csv"
    side.write_text("".join(f"{row},{row}\n" for row in range(SIDE_ROWS)))
    if (folder / format).exists():
        return
    nested = format == "json"
    # Files of a folder may be read side by side: events come in order in a single one only.
    options = file_options(format, folder) | {"sink.rolling-policy.file-size": "1000 gb"}
    picked = "SELECT event_type, person, auction, bid FROM events"
    if not nested:
        picked = (HERE / "sources" / "flatten.sql").read_text()
    statements = [
        *generated(events, seed, rate),
        table("nested" if nested else "flat", options, "files"),
        f"INSERT INTO files {picked}",
    ]
    # Without state each second's rows would be shown in a file of their own.
    with tempfile.TemporaryDirectory() as state:
        session = Session({"execution.checkpointing.interval": "1 d"})
        session.execute(";\n".join(statements) + ";", state=state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=int, default=10_000, help="events per second of event time")
    parser.add_argument("--format", choices=FORMATS, default="parquet")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    write(given.format, given.folder.absolute(), given.events, given.seed, given.rate)


if __name__ == "__main__":
    main()
