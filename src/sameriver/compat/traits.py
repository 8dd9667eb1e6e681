"""What the state of each kind of operator hangs on. How strictly: ``strictness``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sameriver.common.time import duration_text
from sameriver.common.types import Root
from sameriver.compat.description import Item, Trait
from sameriver.compat.items import Maker
from sameriver.plan.physical.calc import Calc
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize
from sameriver.plan.physical.deduplicate import Deduplicate
from sameriver.plan.physical.expand import Expand
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.group_window import GroupWindow
from sameriver.plan.physical.interval_join import IntervalJoin
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.limit import Limit
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.match_recognize import MatchRecognize
from sameriver.plan.physical.node import INSERT_ONLY, PhysicalNode
from sameriver.plan.physical.over_aggregate import OverAggregate
from sameriver.plan.physical.over_sorted import OverSorted
from sameriver.plan.physical.set_operation import SetOperation
from sameriver.plan.physical.sink_materializer import SinkMaterializer
from sameriver.plan.physical.temporal_join import TemporalJoin
from sameriver.plan.physical.temporal_sort import TemporalSort
from sameriver.plan.physical.top_n import TopN
from sameriver.plan.physical.union import Union
from sameriver.plan.physical.window_aggregate import WindowAggregate
from sameriver.plan.physical.window_join import WindowJoin
from sameriver.plan.physical.window_state import is_event_time
from sameriver.plan.physical.window_table import WindowTable
from sameriver.plan.physical.window_top_n import WindowTopN
from sameriver.plan.window import Window, WindowKind, WindowProperty

Traits = tuple[Trait, ...]


def traits(maker: Maker) -> Traits:
    """The traits of a stateful node; of a kind that isn't listed only whether rows are taken back,
    and its declared state then stands for the rest."""
    own = TRAITS.get(type(maker.node))
    retracts = any(below.changelog != INSERT_ONLY for below in maker.node.inputs)
    taken = maker.flag("changes", retracts, "updates and deletions")
    return (*(() if own is None else own(maker.node, maker)), taken, *_unions(maker.node, maker))


def _unions(node: PhysicalNode, maker: Maker) -> Traits:
    """The branches of the first UNION ALL on the way down, in order."""
    while not isinstance(node, Union):
        if len(node.inputs) != 1:
            return ()
        (node,) = node.inputs
    scopes = [branch.scope() for branch in node.branches]
    texts = (f"{', '.join(s.sources)} {', '.join(s.filters)} {', '.join(s.path)}" for s in scopes)
    items = tuple(
        Item(meaning=text, text=scope.sources[0].partition(":")[0], position=maker.node.position)
        for text, scope in zip(texts, scopes, strict=True)
    )
    return (Trait(name="union input", items=items),)


def _group_aggregate(node: GroupAggregate, maker: Maker) -> Traits:
    keys = maker.keys("group key", node.input.schema, node.keys)
    mixed = maker.mixed(node.calls, node.retract)
    return (*_sets(node.input, maker), keys, *maker.calls(node.calls, node.retract), mixed)


def _sets(node: PhysicalNode, maker: Maker) -> Traits:
    """GROUPING SETS, ROLLUP or CUBE below an aggregation."""
    while isinstance(node, Calc):
        node = node.input
    if not isinstance(node, Expand):
        return ()
    return (maker.fact("grouping sets", node.scope().path[-1], dict(node.details())["sets"]),)


def _window_aggregate(node: WindowAggregate, maker: Maker) -> Traits:
    return (
        *_window(node.window, maker, node.attached),
        *_sets(node.input, maker),
        maker.keys("group key", node.input.schema, node.keys),
        *maker.calls(node.calls, node.retract),
        maker.flag("calculation", node.calculated, "a computed column"),
        _properties(node.properties, maker),
    )


def _group_window(node: GroupWindow, maker: Maker) -> Traits:
    def delay(name: str, value: int | None) -> Trait:
        if value is None:
            return Trait(name=name, items=())
        text = f"every {duration_text(value)}" if value else "at each row"
        return maker.fact(name, str(value), text, node.window.position)

    return (
        *_window(node.window, maker),
        maker.keys("group key", node.input.schema, node.keys),
        *maker.calls(node.calls, node.retract),
        _properties(node.properties, maker),
        delay("early fire", node.early_fire),
        delay("late fire", node.late_fire),
        delay("lateness", node.lateness or None),
    )


def _properties(properties: Sequence[tuple[str, WindowProperty]], maker: Maker) -> Trait:
    """The columns that show something of the window."""
    items = tuple(
        Item(meaning=which.value, text=which.value, position=maker.node.position)
        for _, which in properties
    )
    return Trait(name="window column", items=items)


def _window(window: Window, maker: Maker, attached: tuple[str, str] | None = None) -> Traits:
    """Kind, time and lengths; a window cut in the session's zone also has that."""
    at = window.position
    if attached is not None:
        text = f"the window of {maker.readings[attached[0]]}"
        return (maker.fact("window type", maker.below[attached[0]], text, at),)
    timed = is_event_time(window)
    time = maker.below[window.time] if timed else "PROCTIME()"
    shown = maker.readings[window.time] if timed else "processing time"
    session = window.kind is WindowKind.SESSION
    size = "window gap" if session else "window size"
    zoned = window.type.root is Root.TIMESTAMP_LTZ
    return (
        maker.fact("window type", window.kind.value, window.kind.value, at),
        maker.fact("window time", time, shown, at),
        maker.fact(size, str(window.size), duration_text(window.size), at),
        *(_length(maker, "window step", window.step, window)),
        *(_length(maker, "window offset", window.offset or None, window)),
        *((maker.fact("time zone", maker.zone, maker.zone, at),) if zoned else ()),
        *((maker.keys("window key", maker.node.inputs[0].schema, window.partition),) * session),
    )


def _length(maker: Maker, name: str, length: int | None, window: Window) -> Traits:
    if length is None:
        return ()
    return (maker.fact(name, str(length), duration_text(length), window.position),)


def _window_table(node: WindowTable, maker: Maker) -> Traits:
    rest = [name for name in node.input.schema.names if name not in node.window.partition]
    stored = maker.columns("stored column", node.input.schema, rest)
    return (*_window(node.window, maker), stored)


def _over_aggregate(node: OverAggregate, maker: Maker) -> Traits:
    timed = node.event_time
    time = maker.below[node.time] if timed else "PROCTIME()"
    shown = maker.readings[node.time] if timed else "processing time"
    unit = "ROWS" if node.frame.rows else "RANGE"
    size = node.frame.preceding
    length = "UNBOUNDED" if size is None else str(size) if node.frame.rows else duration_text(size)
    frame = f"{unit} BETWEEN {length} PRECEDING AND CURRENT ROW"
    return (
        maker.keys("partition key", node.input.schema, node.partition),
        maker.fact("order", time, shown),
        maker.fact("frame", frame, frame),
        *maker.calls(node.calls, node.bounded),
        maker.columns("input column", node.input.schema),
    )


def _over_sorted(node: OverSorted, maker: Maker) -> Traits:
    frame = "ROWS" if node.rows else "RANGE"
    return (
        maker.keys("partition key", node.input.schema, node.partition),
        maker.order("order", node.order),
        maker.fact("frame", frame, f"{frame} up to the current row"),
        *maker.calls(node.calls, False),
        maker.columns("input column", node.input.schema),
    )


def _deduplicate(node: Deduplicate, maker: Maker) -> Traits:
    time = "PROCTIME()" if node.time is None else maker.below[node.time]
    shown = "processing time" if node.time is None else maker.readings[node.time]
    direction = "DESC" if node.last else "ASC"
    held = "timed row column" if node.time is not None else "last row column"
    if node.time is None and not node.last:
        held = "passed column"
    rest = [name for name in node.input.schema.names if name not in node.keys]
    return (
        maker.keys("partition key", node.input.schema, node.keys),
        maker.fact("order", time, shown),
        maker.fact("direction", direction, direction),
        maker.columns(held, node.input.schema, rest),
    )


def _top_n(node: TopN, maker: Maker) -> Traits:
    rest = [name for name in node.input.schema.names if name not in node.partition]
    return (
        *_row_key(node.input, maker),
        maker.keys("partition key", node.input.schema, node.partition),
        maker.order("order", node.order),
        *_ranks(node, maker),
        maker.columns("stored column", node.input.schema, rest),
    )


def _row_key(node: PhysicalNode, maker: Maker) -> Traits:
    """The primary key by which the source of the ranked rows replaces them."""
    while isinstance(node, Calc):
        node = node.input
    if not isinstance(node, ChangelogNormalize):
        return ()
    source = Maker(node, maker.reader, maker.places, maker.outputs, maker.zone)
    return (source.keys("row key", node.schema, node.keys),)


def _ranks(node: TopN | WindowTopN, maker: Maker) -> Traits:
    ranks = f"{node.start}..{node.end}"
    shown = str(node.end) if node.start == 1 else f"{node.start} to {node.end}"
    return (
        maker.fact("rank function", node.function, node.function),
        maker.fact("rank range", ranks, shown),
        maker.flag("rank column", node.rank is not None, "the rank"),
    )


def _window_top_n(node: WindowTopN, maker: Maker) -> Traits:
    rest = [name for name in node.input.schema.names if name not in node.partition]
    return (
        *_aggregated(node.input, maker),
        maker.keys("partition key", node.input.schema, node.partition),
        maker.order("order", node.order),
        *_ranks(node, maker),
        maker.columns("stored column", node.input.schema, rest),
    )


def _aggregated(node: PhysicalNode, maker: Maker) -> Traits:
    """Window, keys and aggregates of the window aggregation that is ranked."""
    while not isinstance(node, WindowAggregate) and len(node.inputs) == 1:
        (node,) = node.inputs
    if not isinstance(node, WindowAggregate):
        return ()
    inner = Maker(node, maker.reader, maker.places, maker.outputs, maker.zone)
    grouped = inner.keys("group key", node.input.schema, node.keys)
    plain, distinct = inner.calls(node.calls, node.retract)
    every = Trait(name="ranked aggregate", items=(*plain.items, *distinct.items))
    return (*_window(node.window, inner, node.attached), grouped, every)


def _join(node: Join, maker: Maker) -> Traits:
    kind = f"{node.kind.value} JOIN{' with NULL meeting all' * node.null_aware}"
    keys = node.upsert_keys
    return (
        maker.fact("join type", kind, kind),
        maker.pairs(node.left_keys, node.right_keys, node.null_safe),
        *maker.conditions(node.condition),
        *maker.sides(),
        maker.keys("left key", node.left.schema, keys[0]),
        maker.keys("right key", node.right.schema, keys[1]),
    )


def _timed(node: IntervalJoin | TemporalJoin | WindowJoin, maker: Maker) -> Traits:
    kind = f"{node.kind.value} JOIN"
    return (
        maker.fact("join type", kind, kind),
        maker.pairs(node.keys.left, node.keys.right, node.keys.null_safe),
        *maker.conditions(node.condition),
        *maker.sides(),
    )


def _interval_join(node: IntervalJoin, maker: Maker) -> Traits:
    left, right = (maker.readings[name] for name in (node.left_time, node.right_time))
    lower, upper = duration_text(node.lower), duration_text(node.upper)
    times = f"{maker.below[node.left_time]} - {maker.below[node.right_time]}"
    bounds = f"{node.lower}..{node.upper} {times if node.event_time else 'PROCTIME()'}"
    shown = f"{left} - {right} from {lower} to {upper}"
    return (*_timed(node, maker), maker.fact("interval", bounds, shown))


def _temporal_join(node: TemporalJoin, maker: Maker) -> Traits:
    times = [maker.below[name] for name in (node.left_time, node.right_time)]
    shown = maker.readings[node.left_time]
    return (*_timed(node, maker), maker.fact("version time", ", ".join(times), shown))


def _window_join(node: WindowJoin, maker: Maker) -> Traits:
    (_, left), (_, right) = node.left_window, node.right_window
    text = f"{maker.below[left]}, {maker.below[right]}"
    shown = f"the windows of {maker.readings[left]} and {maker.readings[right]}"
    return (maker.fact("window type", text, shown), *_timed(node, maker))


def _lookup_join(node: LookupJoin, maker: Maker) -> Traits:
    text = node.scope().path[-1]
    shown = f"{node.kind.value} JOIN with '{node.table.name}'"
    found = ", ".join(column for _, column in node.columns)
    return (
        maker.fact("lookup", text, shown),
        maker.fact("looked-up columns", ", ".join(sorted(c for _, c in node.columns)), found),
        maker.side("input column", node.input),
    )


def _set_operation(node: SetOperation, maker: Maker) -> Traits:
    return (
        maker.fact("set operation", node.operation, node.operation),
        maker.side("left column", node.left),
        maker.side("right column", node.right),
    )


def _temporal_sort(node: TemporalSort, maker: Maker) -> Traits:
    rest = [name for name in node.schema.names if name != node.time]
    return (maker.order("order", node.keys), maker.columns("stored column", node.schema, rest))


def _limit(node: Limit, maker: Maker) -> Traits:
    return (
        maker.fact("limit", str(node.limit), str(node.limit)),
        maker.fact("offset", str(node.offset), str(node.offset)),
        maker.columns("input column", node.schema),
    )


def _changelog_normalize(node: ChangelogNormalize, maker: Maker) -> Traits:
    rest = [name for name in node.schema.names if name not in node.keys]
    return (
        maker.keys("primary key", node.schema, node.keys),
        maker.columns("stored column", node.schema, rest),
    )


def _sink_materializer(node: SinkMaterializer, maker: Maker) -> Traits:
    keys = {*node.keys, *node.upsert_key}
    rest = [name for name in node.schema.names if name not in keys]
    return (
        maker.keys("sink key", node.schema, node.keys),
        maker.keys("upsert key", node.schema, node.upsert_key),
        maker.columns("stored column", node.schema, rest),
    )


def _match_recognize(node: MatchRecognize, maker: Maker) -> Traits:
    def named(name: str, text: str, meaning: str) -> Trait:
        return maker.fact(name, meaning, text)

    details = dict(node.details())
    measures = [str(node.meaning(one.expression)) for one in node.measures]
    defined = sorted(f"{one.name} AS {node.meaning(one.expression)}" for one in node.define)
    within = "no WITHIN" if node.within is None else f"WITHIN {duration_text(node.within)}"
    return (
        maker.keys("partition key", node.input.schema, node.partition),
        maker.order("order", node.order),
        named("pattern", details["pattern"], node.pattern),
        named("definitions", details["define"], "; ".join(defined)),
        named("measures", details.get("measures", ""), "; ".join(measures)),
        named("after match", node.skip, node.skip),
        named("time bound", within, str(node.within)),
    )


TRAITS: Mapping[type[PhysicalNode], Callable[[Any, Maker], Traits]] = {
    ChangelogNormalize: _changelog_normalize,
    Deduplicate: _deduplicate,
    GroupAggregate: _group_aggregate,
    GroupWindow: _group_window,
    IntervalJoin: _interval_join,
    Join: _join,
    Limit: _limit,
    LookupJoin: _lookup_join,
    MatchRecognize: _match_recognize,
    OverAggregate: _over_aggregate,
    OverSorted: _over_sorted,
    SetOperation: _set_operation,
    SinkMaterializer: _sink_materializer,
    TemporalJoin: _temporal_join,
    TemporalSort: _temporal_sort,
    TopN: _top_n,
    WindowAggregate: _window_aggregate,
    WindowJoin: _window_join,
    WindowTable: _window_table,
    WindowTopN: _window_top_n,
}
