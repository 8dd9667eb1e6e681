"""Repeats each row once a grouping set, keys outside the set nulled; stateless."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand(PhysicalNode):
    """Schema: the input's columns (grouping keys nullable), then ``id`` (BIGINT).

    ``sets`` holds, per grouping set, the names of the keys it keeps; ``keys`` all of them;
    ``id`` names the column with the set's GROUPING_ID over ``keys``.
    """

    input: PhysicalNode
    keys: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    id: str
