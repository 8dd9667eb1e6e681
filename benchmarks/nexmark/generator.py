"""How fast events are made: ``python -m benchmarks.nexmark.generator [--events N] [--repeat N]``.

The connector's source is asked for all columns of all events, and nothing is done with them.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.nexmark.scripts import generated

from sameriver import Session
from sameriver.connectors.connector import Source
from sameriver.engine.tables import open_source
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan

_BATCH = 1 << 17
BAR = 5.0
"""Millions of events a second, of one core."""


def source(events: int) -> Source:
    """The source of a table of so many events, with all its columns."""
    session = Session()
    session.execute(";\n".join(generated(events)) + ";")
    (plan,) = session.plan("SELECT event_type, person, auction, bid FROM events")
    node: PhysicalNode = plan.roots[0]
    while not isinstance(node, Scan):
        (node,) = node.inputs
    return open_source(node, plan.config, session.clock)


def rate(events: int) -> float:
    """Millions of events for each second of processor time."""
    reader = source(events)
    started, made = time.process_time(), 0
    while made < events:
        changes = reader.poll(_BATCH).changes
        made += 0 if changes is None else len(changes)
    took = time.process_time() - started
    reader.close()
    return made / took / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rate(_BATCH)
    found = sorted(rate(options.events) for _ in range(options.repeat))
    middle = found[len(found) // 2]
    print(f"{middle:.1f} M events/s of one core ({found[0]:.1f} to {found[-1]:.1f}); bar {BAR:.0f}")
    sys.exit(0 if middle >= BAR else 1)


if __name__ == "__main__":
    main()
