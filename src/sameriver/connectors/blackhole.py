"""``blackhole``: a sink that lets everything go."""

from __future__ import annotations

from sameriver.common.changes import Changes
from sameriver.connectors.connector import Connector, ConnectorOption


class BlackholeSink:
    """Takes rows and keeps none."""

    def write(self, changes: Changes) -> None:
        """Nothing to do."""

    def flush(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""

    def abort(self) -> None:
        """Nothing to do."""


BLACKHOLE = Connector(
    name="blackhole",
    options=(ConnectorOption("property-version", "accepted"),),
    sink=lambda context: BlackholeSink(),
)
