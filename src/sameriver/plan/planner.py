"""From bound queries to the physical plan of a job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.logical import Logical
from sameriver.plan.lower.aggregate import group_aggregate
from sameriver.plan.lower.calc import calc
from sameriver.plan.lower.correlate import correlate
from sameriver.plan.lower.join import lower_join
from sameriver.plan.lower.lookup_join import lookup_join
from sameriver.plan.lower.match_recognize import match_recognize
from sameriver.plan.lower.over import lower_over
from sameriver.plan.lower.places import column_places, placed
from sameriver.plan.lower.prune_fields import prune_fields
from sameriver.plan.lower.pull_window import pull_window
from sameriver.plan.lower.rank import lower_rank
from sameriver.plan.lower.scan import Kinds, Reads, lower_scan, reads
from sameriver.plan.lower.set_operation import set_operation
from sameriver.plan.lower.settings import Settings
from sameriver.plan.lower.sink import lower_insert
from sameriver.plan.lower.sort import sort
from sameriver.plan.lower.temporal_join import temporal_join
from sameriver.plan.lower.window import group_window, window_aggregate, window_table
from sameriver.plan.physical.node import ALL_KINDS, INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.values import Values
from sameriver.plan.rules import rewrite
from sameriver.plan.rules.tree import pass_through
from sameriver.plan.table import Table
from sameriver.plan.window_columns import key_columns


def plan_job(
    queries: Sequence[Logical],
    config: Config,
    changelog: Kinds = lambda table: INSERT_ONLY,
    accepted: Kinds = lambda table: ALL_KINDS,
    looked_up: Callable[[Table], bool] = lambda table: True,
    nested: Callable[[Table], bool] = lambda table: False,
) -> tuple[Sink, ...]:
    """The physical plan of queries and INSERTs that run as one job; one root each.

    Equal parts are equal values, and a table is read once for all queries of the job.

    Args:
        queries: as bound.
        config: options of the job.
        changelog: the kinds that a table delivers when read.
        accepted: the kinds that a table takes when written.
        looked_up: whether rows of a table can be found by key.
        nested: whether single fields of the ROWs of a table can be read.

    Raises:
        UserError: what the physical plan can't do: UPDATES_NOT_SUPPORTED, UNSUPPORTED,
            BAD_OPTION, BAD_DURATION.
    """
    rewritten = tuple(rewrite(query) for query in queries)
    settings = Settings.of(config)
    read = reads(rewritten, settings, changelog)
    lowering = _Lowering(settings, read, changelog, accepted, looked_up)
    roots = prune_fields(tuple(lowering.root(node) for node in rewritten), nested)
    return tuple(column_places(root, query) for root, query in zip(roots, queries, strict=True))


@dataclass(frozen=True, slots=True)
class _Lowering:
    settings: Settings
    reads: Reads
    changelog: Kinds
    accepted: Kinds
    looked_up: Callable[[Table], bool]

    def root(self, node: Logical) -> Sink:
        if not isinstance(node, logical.Insert):
            return Sink(schema=node.schema, input=self.lower(node), table=None)
        below = self.lower(node.input)
        return lower_insert(node, below, self.accepted(node.table), self.settings)

    def lower(self, node: Logical) -> PhysicalNode:
        return placed(self._lower(node), node)

    def _lower(self, node: Logical) -> PhysicalNode:
        match node:
            case logical.Scan():
                return lower_scan(node, self.settings, self.reads, self.changelog)
            case logical.Values():
                return Values(schema=node.schema, rows=node.rows)
            case logical.Project(columns=columns, input=logical.Filter() as below):
                return calc(self.lower(below.input), columns, below.condition)
            case logical.Project(columns=columns, input=below):
                return calc(self.lower(below), columns)
            case logical.Filter(condition=condition, input=below):
                return calc(self.lower(below), pass_through(below.schema), condition)
            case logical.Aggregate():
                return self._aggregate(node)
            case logical.WindowTable(input=below):
                return window_table(node, self.lower(below))
            case logical.Sort(input=below):
                return sort(node, self.lower(below), self.settings)
            case logical.GroupWindow(input=below):
                return group_window(node, self.lower(below), self.settings)
            case logical.Join(left=left, right=right):
                return lower_join(node, self.lower(left), self.lower(right), self.settings)
            case logical.TemporalJoin(left=left, right=right, processing=False):
                versions = self.unfolded().lower(right)
                return temporal_join(node, self.lower(left), versions, self.settings)
            case logical.TemporalJoin(left=left):
                return lookup_join(node, self.lower(left), self.looked_up)
            case logical.Union(inputs=branches):
                return Union(
                    schema=node.schema, branches=tuple(self.lower(branch) for branch in branches)
                )
            case logical.Over(input=below):
                return lower_over(node, self.lower(below), self.settings)
            case logical.MatchRecognize(input=below):
                return match_recognize(node, self.lower(below))
            case logical.Rank(input=below):
                return lower_rank(node, self.lower(below), self.settings)
            case logical.Correlate(input=below):
                return correlate(node, self.lower(below))
            case logical.SetOperation(left=left, right=right):
                return set_operation(node, self.lower(left), self.lower(right), self.settings)
            case _:
                raise UserError(
                    "UNSUPPORTED",
                    f"{type(node).__name__} is not supported yet",
                    hint="Leave it out, or run this statement on Apache Flink.",
                )

    def unfolded(self) -> _Lowering:
        """For what must tell each change, as versions do: one that is soon replaced was valid."""
        return replace(self, settings=replace(self.settings, folded=False))

    def _aggregate(self, node: logical.Aggregate) -> PhysicalNode:
        if not key_columns(node).properties:
            return group_aggregate(node, self.lower(node.input), self.settings)
        pulled = pull_window(node)
        below = node.input if pulled is None else rewrite(pulled.below)
        return window_aggregate(node, self.lower(below), pulled, self.settings)
