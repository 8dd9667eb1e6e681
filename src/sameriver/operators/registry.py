"""Which operator runs a physical node; one line a kind of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sameriver.operators.calc import CalcOperator
from sameriver.operators.expand import ExpandOperator
from sameriver.operators.group_aggregate import GroupAggregateOperator
from sameriver.operators.group_window import group_window
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.union import UnionOperator
from sameriver.operators.watermark_assigner import watermark_assigner
from sameriver.operators.window_aggregate import WindowAggregateOperator
from sameriver.operators.window_table import window_table
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_table import WindowTable

OPERATORS: dict[type[PhysicalNode], Callable[[Any, OperatorContext], Operator]] = {
    Calc: CalcOperator,
    Expand: ExpandOperator,
    GroupAggregate: GroupAggregateOperator,
    GroupWindow: group_window,
    Union: UnionOperator,
    WatermarkAssigner: watermark_assigner,
    WindowAggregate: WindowAggregateOperator,
    WindowTable: window_table,
}
