"""Old plan against new plan: what becomes of each operator's state on Flink."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sameriver.compat import Rules
from sameriver.compat.report import Verdict, worst
from sameriver.compat.ways import IGNORE_FILTER
from sameriver.flink.compiled import CompiledPlan, read_plan
from sameriver.flink.differences import difference_sentences
from sameriver.flink.meaning import StateNode, state_nodes
from sameriver.flink.plain import Plain, places, plain_outcome
from sameriver.flink.report import FlinkOperator, FlinkReport, Outcome
from sameriver.flink.wording import worded

_KINDRED = (
    {"GroupAggregate", "GlobalGroupAggregate", "IncrementalGroupAggregate"},
    {"WindowAggregate", "GlobalWindowAggregate", "GroupWindowAggregate"},
    {"Deduplicate", "Rank", "Limit", "SortLimit"},
    {"Join", "IntervalJoin", "TemporalJoin", "WindowJoin"},
)
"""Kinds that an edit turns into each other."""
_FRESH = "Start over without the old state: '--fresh'."
_PARTIAL = "Let what is new start empty: '--allow-partial'."
_FILTER = f"Accept old state as it is: SET '{IGNORE_FILTER}' = 'true'."

_BESIDE = (
    "{} is computed in a node of its own, joined to the old aggregates on the key: it counts from"
    " the upgrade. A key shows when its next row comes, and there are rows in between that hold"
    " one new value and one old one."
)


def compare_plans(
    old: str, new: str, rules: Rules | None = None, compiled: str | None = None
) -> FlinkReport:
    """What the change from one plan to another means for the state of a job on Flink.

    Args:
        old: a compiled plan whose nodes carry names.
        new: likewise, after the change.
        rules: how to compare.
        compiled: the new plan as Flink made it, if ``new`` was made of it.

    Raises:
        ExternalError: FOREIGN_PLAN.
    """
    before, after = read_plan(old), read_plan(new)
    alone = after if compiled is None else read_plan(compiled)
    work = _Comparison(before, after, rules or Rules(), alone)
    operators = (*work.going_on(), *work.going())
    verdict = worst([one.verdict for one in operators])
    return FlinkReport(verdict=verdict, operators=operators, ways=work.ways(verdict))


class _Comparison:
    """The nodes of both plans, and which new one stands for which old one."""

    def __init__(
        self, before: CompiledPlan, after: CompiledPlan, rules: Rules, alone: CompiledPlan
    ) -> None:
        self.rules = rules
        self.old, self.new = state_nodes(before), state_nodes(after)
        by_name = {node.node.name: node for node in self.old}
        self.kept = {
            node.node.id: by_name[node.node.name] for node in self.new if node.node.name in by_name
        }
        self.replaced = _partners(
            [node for node in self.old if node not in self.kept.values()],
            [node for node in self.new if node.node.id not in self.kept],
        )
        then, now = places(before), places(alone)
        standing = {now[node.node.id]: node for node in state_nodes(alone)}
        self.plain = {
            node.node.id: plain_outcome(node, standing.get(then[node.node.id])) for node in self.old
        }
        self.filtered = False

    def going_on(self) -> Iterator[FlinkOperator]:
        """The operators of the new plan."""
        for new in self.new:
            id = new.node.id
            if new.is_result:
                continue
            if id in self.kept:
                yield self._kept(self.kept[id], new)
            elif id in self.replaced:
                yield self._refused(self.replaced[id], new)
            else:
                yield self._new(new)

    def going(self) -> Iterator[FlinkOperator]:
        """The operators of the old plan whose state nothing takes."""
        taken = [*self.kept.values(), *self.replaced.values()]
        for old in self.old:
            if old not in taken and not old.is_result:
                yield self._lost(old)

    def _kept(self, old: StateNode, new: StateNode) -> FlinkOperator:
        reasons: list[str] = []
        verdict = Verdict.FULL
        changed = set(old.filters) ^ set(new.filters)
        if changed and new.keeps_rows:
            reasons += _filter_sentences(old, new)
            if self.rules.ignore_filter:
                reasons.append(f"That is accepted: '{IGNORE_FILTER}' is set.")
            else:
                verdict = Verdict.INCOMPATIBLE
                self.filtered = True
        return self._told(new, Outcome.KEPT, verdict, reasons, self.plain[old.node.id])

    def _refused(self, old: StateNode, new: StateNode) -> FlinkOperator:
        if not new.keeps_rows and not self._sink_counts(old):
            return self._new(new)
        reasons = tuple(difference_sentences(old, new))
        plain = self.plain[old.node.id]
        return self._told(new, Outcome.REFUSED, Verdict.INCOMPATIBLE, reasons, plain)

    def _new(self, new: StateNode) -> FlinkOperator:
        if new.kind == "Source":
            sentence, verdict = "It is new: it is read from its start.", Verdict.FULL
        elif new.kind == "Sink" and not new.keeps_rows:
            sentence, verdict = "It is new.", Verdict.FULL
        elif self._reads_new_sources_only(new):
            sentence = "It is new, and so are its sources: it sees all of their rows."
            verdict = Verdict.FULL
        elif self._is_beside(new):
            sentence = _BESIDE.format(_shown(new.items("aggregate")))
            verdict = Verdict.PARTIAL
        else:
            sentence = "It is new: it starts empty and sees the rows that come from now on."
            verdict = Verdict.PARTIAL
        return self._told(new, Outcome.NEW, verdict, [sentence], None)

    def _lost(self, old: StateNode) -> FlinkOperator:
        sinks = {table for node in self.new for table in node.sinks}
        if old.kind == "Sink" and not old.keeps_rows:
            verdict = Verdict.INCOMPATIBLE if self._sink_counts(old) else Verdict.FULL
            sentence = "It is gone: what it has written but not yet shown is dropped."
        elif sinks.isdisjoint(old.sinks):
            verdict, sentence = Verdict.FULL, "It goes with its sink: its state is dropped."
        elif old.kind == "Source":
            verdict, sentence = Verdict.FULL, "It is no longer read: its position is dropped."
        else:
            verdict = Verdict.INCOMPATIBLE
            sentence = "It is gone, but its sink is still written: its state would be lost."
        return self._told(old, Outcome.LOST, verdict, [sentence], self.plain[old.node.id])

    def _sink_counts(self, sink: StateNode) -> bool:
        return sink.keeps_rows or not self.rules.ignore_sink

    def _reads_new_sources_only(self, new: StateNode) -> bool:
        known = {table for node in self.old for table in (*node.sources, *node.items("table"))}
        return known.isdisjoint(new.sources)

    def _is_beside(self, new: StateNode) -> bool:
        """Whether it computes what is new of a group whose old aggregates are kept."""
        return new.kind == "GroupAggregate" and any(
            one.kind == new.kind
            and (one.items("key"), one.origin, one.sinks)
            == (new.items("key"), new.origin, new.sinks)
            for one in self.new
            if one.node.id in self.kept
        )

    def _told(
        self,
        node: StateNode,
        outcome: Outcome,
        verdict: Verdict,
        reasons: Sequence[str],
        plain: Plain | None,
    ) -> FlinkOperator:
        return FlinkOperator(
            kind=node.kind,
            label=worded(node.label),
            name=node.node.name,
            outcome=outcome,
            verdict=verdict,
            reasons=tuple(reasons),
            plain=plain if node.keeps_rows else None,
        )

    def ways(self, verdict: Verdict) -> tuple[str, ...]:
        """What can be done about a verdict, the least costly first."""
        match verdict:
            case Verdict.FULL:
                return ()
            case Verdict.PARTIAL:
                return (_PARTIAL, _FRESH)
        return (*([_FILTER] if self.filtered else []), _FRESH)


def _partners(old: Sequence[StateNode], new: Sequence[StateNode]) -> dict[int, StateNode]:
    """Which old node each new one stands for, the most alike first, by the new one's id."""
    scored = sorted(
        (
            (-_alike(one, other), number, place)
            for number, one in enumerate(old)
            for place, other in enumerate(new)
            if _kindred(one, other)
        ),
    )
    found: dict[int, StateNode] = {}
    for _, number, place in scored:
        one, other = old[number], new[place]
        if one not in found.values() and other.node.id not in found:
            found[other.node.id] = one
    return found


def _kindred(one: StateNode, other: StateNode) -> bool:
    """Whether an edit may have turned one into the other: something ends in the same sink."""
    same = one.kind == other.kind or any({one.kind, other.kind} <= kinds for kinds in _KINDRED)
    return same and bool(set(one.sinks) & set(other.sinks) or _same_end(one, other))


def _same_end(one: StateNode, other: StateNode) -> bool:
    """Whether they read the same tables, though their sinks have other names."""
    return one.sources == other.sources and one.kind != "Sink"


def _alike(one: StateNode, other: StateNode) -> float:
    left, right = _things(one), _things(other)
    return len(left & right) / max(1, len(left | right))


def _things(node: StateNode) -> set[tuple[str, str]]:
    things = {(part.noun, item.meaning) for part in node.parts for item in part.items}
    return things | {("kind", node.kind), ("rows", node.origin)}


def _filter_sentences(old: StateNode, new: StateNode) -> Iterator[str]:
    added = [one for one in new.filters if one not in old.filters]
    removed = [one for one in old.filters if one not in new.filters]
    if added:
        yield (
            f"{_conditions(added)} below it {_are(added)} new: its state holds rows that never met"
            f" {_them(added)}, and Flink never filters old state again."
        )
    if removed:
        yield (
            f"{_conditions(removed)} below it {_are(removed)} gone: rows that"
            f" {'it' if len(removed) == 1 else 'they'} kept out are not in the state."
        )


def _conditions(meanings: Sequence[str]) -> str:
    return f"The condition{'s' * (len(meanings) > 1)} {_shown(meanings)}"


def _are(meanings: Sequence[str]) -> str:
    return "is" if len(meanings) == 1 else "are"


def _them(meanings: Sequence[str]) -> str:
    return "it" if len(meanings) == 1 else "them"


def _shown(meanings: Sequence[str]) -> str:
    return ", ".join(f"`{worded(one)}`" for one in meanings)
