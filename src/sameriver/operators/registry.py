"""Which operator runs a physical node; one line a kind of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sameriver.operators.calc import CalcOperator
from sameriver.operators.changelog_normalize import ChangelogNormalizeOperator
from sameriver.operators.correlate import CorrelateOperator
from sameriver.operators.deduplicate import deduplicate
from sameriver.operators.drop_update_before import DropUpdateBeforeOperator
from sameriver.operators.expand import ExpandOperator
from sameriver.operators.group_aggregate import GroupAggregateOperator
from sameriver.operators.group_window import group_window
from sameriver.operators.interval_join import IntervalJoinOperator
from sameriver.operators.join import JoinOperator
from sameriver.operators.limit import LimitOperator
from sameriver.operators.lookup_join import LookupJoinOperator
from sameriver.operators.operator import Operator, OperatorContext
from sameriver.operators.over_aggregate import over_aggregate
from sameriver.operators.over_sorted import OverSortedOperator
from sameriver.operators.set_operation import SetOperationOperator
from sameriver.operators.sink_materializer import SinkMaterializerOperator
from sameriver.operators.temporal_join import TemporalJoinOperator
from sameriver.operators.temporal_sort import TemporalSortOperator
from sameriver.operators.top_n import TopNOperator
from sameriver.operators.union import UnionOperator
from sameriver.operators.watermark_assigner import watermark_assigner
from sameriver.operators.window_aggregate import window_aggregate
from sameriver.operators.window_join import WindowJoinOperator
from sameriver.operators.window_table import window_table
from sameriver.operators.window_top_n import WindowTopNOperator
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize
from sameriver.plan.physical.correlate import Correlate
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.plan.physical.drop_update_before import DropUpdateBefore
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.physical.interval_join import IntervalJoin
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.limit import Limit
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.over_aggregate import OverAggregate
from sameriver.plan.physical.over_sorted import OverSorted
from sameriver.plan.physical.set_operation import SetOperation
from sameriver.plan.physical.sink_materializer import SinkMaterializer
from sameriver.plan.physical.temporal_join import TemporalJoin
from sameriver.plan.physical.temporal_sort import TemporalSort
from sameriver.plan.physical.top_n import TopN
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.watermark_assigner import WatermarkAssigner
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_join import WindowJoin
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.physical.window_top_n import WindowTopN

OPERATORS: dict[type[PhysicalNode], Callable[[Any, OperatorContext], Operator]] = {
    Calc: CalcOperator,
    ChangelogNormalize: ChangelogNormalizeOperator,
    Correlate: CorrelateOperator,
    Deduplicate: deduplicate,
    DropUpdateBefore: DropUpdateBeforeOperator,
    Expand: ExpandOperator,
    GroupAggregate: GroupAggregateOperator,
    GroupWindow: group_window,
    Limit: LimitOperator,
    OverAggregate: over_aggregate,
    OverSorted: OverSortedOperator,
    TemporalSort: TemporalSortOperator,
    SetOperation: SetOperationOperator,
    SinkMaterializer: SinkMaterializerOperator,
    IntervalJoin: IntervalJoinOperator,
    LookupJoin: LookupJoinOperator,
    TemporalJoin: TemporalJoinOperator,
    Join: JoinOperator,
    TopN: TopNOperator,
    Union: UnionOperator,
    WatermarkAssigner: watermark_assigner,
    WindowAggregate: window_aggregate,
    WindowJoin: WindowJoinOperator,
    WindowTable: window_table,
    WindowTopN: WindowTopNOperator,
}
