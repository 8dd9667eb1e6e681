"""Flink's answers to the queries over a few events, as digests for the tests:
``python -m benchmarks.nexmark.answers --python VENV/bin/python [QUERY ...]``.

Asks for what the file lacks only, and for the queries that are named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

from benchmarks.nexmark.changelog import Table
from benchmarks.nexmark.engines import Running, flink
from benchmarks.nexmark.scripts import NAMES
from benchmarks.nexmark.turns import BY_THE_CLOCK, came_to
from benchmarks.nexmark.write import write

ANSWERS = Path(__file__).with_name("answers.json")
EVENTS = 5_000
RATE = 100
"""Events per second of event time: windows need time to pass."""


def digest(rows: Table) -> list[object]:
    """The number of rows and a hash of them."""
    lines = sorted(rows.elements())
    return [len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, required=True, help="of a venv with apache-flink")
    parser.add_argument("names", nargs="*", metavar="QUERY")
    given = parser.parse_args()
    answers = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    names = given.names or [n for n in NAMES if n not in answers and n not in BY_THE_CLOCK]
    with tempfile.TemporaryDirectory() as place, Running(flink(given.python)) as asked:
        folder = Path(place)
        write("csv", folder, EVENTS, rate=RATE)
        for name in names:
            answers[name] = digest(came_to(asked, name, "csv", folder))
            ANSWERS.write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
