"""Writes to a table's connector, or hands the changelog of a query to the session."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink(PhysicalNode):
    """``table`` None: the changelog of a SELECT is collected."""

    input: PhysicalNode
    table: Table | None
