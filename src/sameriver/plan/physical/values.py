"""Literal rows."""

from __future__ import annotations

from dataclasses import dataclass

from sameriver.plan.expressions import Expression
from sameriver.plan.physical.node import PhysicalNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Values(PhysicalNode):
    rows: tuple[tuple[Expression, ...], ...]
