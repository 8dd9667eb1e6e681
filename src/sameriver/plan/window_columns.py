"""Which columns of a logical node are those of a window, and of which one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.plan import logical
from sameriver.plan.expressions import Column
from sameriver.plan.logical import Logical
from sameriver.plan.window import Window, WindowProperty

_PROPERTIES = (WindowProperty.START, WindowProperty.END, WindowProperty.TIME)
_BOUNDS = {WindowProperty.START, WindowProperty.END}


@dataclass(frozen=True, slots=True)
class WindowColumns:
    """The window a stream is cut by, and the columns that tell it; no columns: none."""

    window: Window | None = None
    properties: Mapping[str, WindowProperty] = field(default_factory=dict)

    def of(self, property: WindowProperty) -> tuple[str, ...]:
        """Columns that hold ``property``."""
        return tuple(name for name, held in self.properties.items() if held is property)


NONE = WindowColumns()


def window_columns(node: Logical) -> WindowColumns:
    """The window columns among the columns of ``node``."""
    match node:
        case logical.WindowTable(window=window):
            return WindowColumns(
                window, dict(zip(node.schema.names[-3:], _PROPERTIES, strict=True))
            )
        case logical.Filter(input=below) | logical.Sort(input=below):
            return window_columns(below)
        case logical.Over(input=below) | logical.Rank(input=below):
            return window_columns(below)
        case logical.Project(input=below, columns=columns):
            inner = window_columns(below)
            kept = {
                column.name: inner.properties[column.expression.name]
                for column in columns
                if isinstance(column.expression, Column)
                and column.expression.name in inner.properties
            }
            return WindowColumns(inner.window, kept) if kept else NONE
        case logical.Aggregate(input=below):
            return key_columns(node)
        case _:
            return NONE


def key_columns(node: logical.Aggregate) -> WindowColumns:
    """The window columns among the keys of a window aggregation; none if it is an ordinary one.

    As in Flink, an aggregation is one per window if it groups by start and end of the same
    window, in each of its grouping sets; grouping by one of the two is an ordinary GROUP BY.
    """
    below = window_columns(node.input)
    for keys in node.sets or (node.keys,):
        if not {below.properties[key] for key in keys if key in below.properties} >= _BOUNDS:
            return NONE
    kept = {key: below.properties[key] for key in node.keys if key in below.properties}
    return WindowColumns(below.window, kept)
