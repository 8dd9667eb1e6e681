"""The ``nexmark`` connector: the events of an auction house that the Nexmark benchmark reads."""

from sameriver.connectors.nexmark.connector import NEXMARK

__all__ = ["NEXMARK"]
