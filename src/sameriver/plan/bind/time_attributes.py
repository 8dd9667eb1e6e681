"""Which columns of a plan still carry the stream's time."""

from __future__ import annotations

from sameriver.plan import logical
from sameriver.plan.expressions import Column
from sameriver.plan.logical import Logical
from sameriver.plan.window import WindowProperty
from sameriver.plan.window_columns import key_columns


def carries_time(node: Logical, name: str) -> bool:
    """Whether rows of ``node`` come in the order of a watermark over this column.

    Its type must have a time attribute. It is lost where Flink loses it: in ordinary aggregates,
    whose keys and extremes keep the type only.
    """
    if node.schema[name].attribute is None:
        return False
    match node:
        case logical.Scan():
            return True
        case logical.Project(input=below, columns=columns):
            found = next(c.expression for c in columns if c.name == name)
            if isinstance(found, Column):
                return carries_time(below, found.name)
            return found.type.attribute is not None
        case logical.Aggregate():
            return key_columns(node).properties.get(name) is WindowProperty.TIME
        case logical.GroupWindow(properties=properties):
            return name in dict(properties)
        case logical.WindowTable(input=below):
            return name not in below.schema or carries_time(below, name)
        case logical.Union(inputs=inputs):
            place = node.schema.names.index(name)
            return all(carries_time(one, one.schema.names[place]) for one in inputs)
        case logical.Filter(input=below) | logical.Sort(input=below):
            return carries_time(below, name)
        case logical.Over(input=below) | logical.Rank(input=below):
            return name in below.schema and carries_time(below, name)
        case logical.Join(left=left, right=right):
            return carries_time(left if name in left.schema else right, name)
        case logical.TemporalJoin(left=left):
            return name in left.schema and carries_time(left, name)
    return False
