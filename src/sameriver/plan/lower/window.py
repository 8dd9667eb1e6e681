"""Window aggregations, windows without one, and legacy group windows."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.plan import logical
from sameriver.plan.expressions import AggregateCall, Call
from sameriver.plan.logical import Logical
from sameriver.plan.lower.aggregate import aggregate_schema, aggregation
from sameriver.plan.lower.changes import check_insert_only
from sameriver.plan.lower.pull_window import Pulled
from sameriver.plan.lower.settings import Settings
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.rules.tree import conjunction
from sameriver.plan.window import WindowProperty
from sameriver.plan.window_columns import key_columns, window_columns


def window_aggregate(
    node: logical.Aggregate, below: PhysicalNode, pulled: Pulled | None, settings: Settings
) -> PhysicalNode:
    """Aggregation per window: of the rows below the window call, or, ``pulled`` None, of rows that
    carry the start and end of their window.

    Raises:
        UserError: UNSUPPORTED with early or late fire, as in Flink.
    """
    _refuse_fire(settings)
    own = key_columns(node)
    columns = window_columns(node.input)
    window = columns.window if pulled is None else pulled.window
    assert window is not None
    start, end = columns.of(WindowProperty.START)[0], columns.of(WindowProperty.END)[0]
    properties = tuple(own.properties.items())

    def build(
        below: PhysicalNode, keys: tuple[str, ...], calls: tuple[AggregateCall, ...]
    ) -> PhysicalNode:
        fields = [Field(name, node.schema[name]) for name, _ in properties]
        return WindowAggregate(
            schema=Schema((*aggregate_schema(below, keys, calls), *fields)),
            input=below,
            window=window,
            keys=keys,
            calls=calls,
            properties=properties,
            retract=below.changelog != INSERT_ONLY,
            attached=(start, end) if pulled is None else None,
            calculated=_calculates(node.input),
        )

    keys = tuple(key for key in node.keys if key not in own.properties)
    condition = conjunction(pulled.above) if pulled is not None and pulled.above else None
    return aggregation(node, below, keys, build, condition)


def _calculates(node: Logical) -> bool:
    """Whether a projection computes something between here and the window call below."""
    if isinstance(node, logical.Filter):
        return _calculates(node.input)
    if not isinstance(node, logical.Project):
        return False
    own = any(isinstance(column.expression, Call) for column in node.columns)
    return own or _calculates(node.input)


def window_table(node: logical.WindowTable, below: PhysicalNode) -> PhysicalNode:
    """A window call whose rows go on as they are.

    Raises:
        UserError: UPDATES_NOT_SUPPORTED if the input updates its rows, as in Flink.
    """
    start, end, time = node.schema.names[-3:]
    table = WindowTable(
        schema=Schema((*below.schema, *node.schema.fields[-3:])),
        input=below,
        window=node.window,
        start=start,
        end=end,
        time=time,
    )
    check_insert_only(
        below,
        "Window table function",
        hint="Group by window_start and window_end (a window aggregation takes updates), or make"
        " the window's input insert-only.",
    )
    return table


def group_window(
    node: logical.GroupWindow, below: PhysicalNode, settings: Settings
) -> PhysicalNode:
    """A legacy group window."""
    return GroupWindow(
        schema=node.schema,
        input=below,
        window=node.window,
        keys=node.keys,
        calls=node.calls,
        properties=node.properties,
        retract=below.changelog != INSERT_ONLY,
        early_fire=settings.early_fire,
        late_fire=settings.late_fire,
        lateness=settings.lateness,
    )


def _refuse_fire(settings: Settings) -> None:
    if settings.early_fire is None and settings.late_fire is None:
        return
    raise UserError(
        "UNSUPPORTED",
        "window table functions take no early or late fire"
        " ('table.exec.emit.early-fire.enabled', 'table.exec.emit.late-fire.enabled')",
        hint="Use CUMULATE for results before the end of a window, or a legacy group window:"
        " GROUP BY TUMBLE(time, INTERVAL ...).",
    )
