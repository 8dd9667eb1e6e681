"""Aggregates per window of a window TVF."""

from __future__ import annotations

from collections.abc import Callable

from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.windows.batch import Windows
from sameriver.operators.windows.cumulating import CumulatingWindows
from sameriver.operators.windows.hopping import HoppingWindows
from sameriver.operators.windows.operator import WindowOperator
from sameriver.operators.windows.output import Output
from sameriver.operators.windows.sessions import SessionWindows
from sameriver.operators.windows.time import WindowTime
from sameriver.operators.windows.tumbling import TumblingWindows
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.window import WindowKind
from sameriver.state.handle import StateStore

_WINDOWS: dict[WindowKind, Callable[[WindowAggregate, StateStore], Windows]] = {
    WindowKind.TUMBLE: TumblingWindows,
    WindowKind.HOP: HoppingWindows,
    WindowKind.CUMULATE: CumulatingWindows,
    WindowKind.SESSION: SessionWindows,
}


def window_aggregate(node: WindowAggregate, context: OperatorContext) -> Operator:
    """The operator: rows are folded into their windows as they come."""
    time = WindowTime(node.window, context)
    output = Output(node.schema, node.properties, time, context.clock)
    windows = _windows(node, context.store)
    return WindowOperator(context, windows, time, output, timed=node.attached is None)


def _windows(node: WindowAggregate, store: StateStore) -> Windows:
    if node.attached is not None:
        return TumblingWindows(node, store)
    return _WINDOWS[node.window.kind](node, store)
