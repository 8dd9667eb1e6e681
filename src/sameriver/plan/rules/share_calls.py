"""Equal aggregates are computed once."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.schema import Schema
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Column, Named
from sameriver.plan.logical import Logical


def share_calls(node: Logical) -> Logical | None:
    if not isinstance(node, logical.Aggregate | logical.GroupWindow):
        return None
    first: dict[AggregateCall, str] = {}
    same = {call.name: first.setdefault(replace(call, name=""), call.name) for call in node.calls}
    if len(first) == len(node.calls):
        return None
    kept = tuple(call for call in node.calls if same[call.name] == call.name)
    fields = tuple(f for f in node.schema if same.get(f.name, f.name) == f.name)
    below = replace(node, calls=kept, schema=Schema(fields))
    columns = tuple(Named(f.name, Column(same.get(f.name, f.name), f.type)) for f in node.schema)
    return logical.Project(input=below, columns=columns)
