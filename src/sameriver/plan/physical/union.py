"""UNION ALL; stateless."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Union(PhysicalNode):
    """Columns by position, under the names of ``schema``."""

    branches: tuple[PhysicalNode, ...]
