"""The functions in Python that feed an operator."""

from __future__ import annotations

from collections.abc import Mapping

from sameriver.compat.expressions import feeding
from sameriver.plan.physical.correlate import Correlate
from sameriver.plan.physical.node import PhysicalNode


def functions_of(node: PhysicalNode) -> Mapping[str, str]:
    """Digest of the source of each function that a node or one below it calls, by name."""
    found = {
        call.function: call.definition.digest
        for call in feeding(node)
        if call.definition is not None
    }
    return dict(sorted({**found, **_expanding(node)}.items()))


def _expanding(node: PhysicalNode) -> dict[str, str]:
    """Table functions."""
    below = [_expanding(one) for one in node.inputs]
    found = {name: digest for one in below for name, digest in one.items()}
    if isinstance(node, Correlate) and node.function.digest:
        found[node.function.name] = node.function.digest
    return found
