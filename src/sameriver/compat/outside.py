"""What differs outside of stateful operators: tables, sinks, and what stands above all state."""

from __future__ import annotations

from collections.abc import Iterator

from sameriver.compat.description import JobDescription, Operator, Sink, Source
from sameriver.compat.differences import difference
from sameriver.compat.match import Matching
from sameriver.compat.operators import Rules
from sameriver.compat.report import Reason, Verdict
from sameriver.compat.strictness import strictness


def sink_reasons(
    old: JobDescription, new: JobDescription, matching: Matching, rules: Rules
) -> Iterator[Reason]:
    """Sinks that come, go, or are others; they count only if ``ignore_sink`` is off."""
    for number, sink in enumerate(old.sinks):
        if number not in matching.sinks.values():
            stateful = any(number in operator.sinks for operator in old.operators)
            rule = "SINK-01" if stateful else "SINK-02"
            yield _free(rule, f"{_called(sink)} is gone", old=sink)
    for number, sink in enumerate(new.sinks):
        partner = matching.sinks.get(number)
        if partner is None:
            yield _free("SINK-03", f"{_called(sink)} is new", new=sink)
        else:
            yield from _other_sink(old.sinks[partner], sink, rules)


def _other_sink(old: Sink, new: Sink, rules: Rules) -> Iterator[Reason]:
    found = []
    if old.table != new.table:
        found.append(("SINK-04", f"sink '{old.table}' is called '{new.table}' now"))
    if old.connector != new.connector:
        text = f"sink '{new.table}' has connector '{new.connector}', it was '{old.connector}'"
        found.append(("SINK-05", text))
    for rule, text in found:
        if rules.ignore_sink:
            yield _free(rule, f"{text}: sinks count as stateless", old, new)
        else:
            yield Reason(
                rule="SINK-07",
                message=f"{text}, and ignore-sink is off",
                verdict=Verdict.INCOMPATIBLE,
                old=old.position,
                new=new.position,
            )
    if not found and old.options != new.options:
        yield _free("SINK-06", f"other options of {_called(new)}: no state hangs on them", old, new)


def _called(sink: Sink) -> str:
    return f"sink '{sink.table}'" if sink.table else "a query"


def outside_reasons(
    old: JobDescription, new: JobDescription, matching: Matching, quiet: frozenset[int | None]
) -> Iterator[Reason]:
    """What differs in declared tables, and above all state; ``quiet``: operators of the new plan
    that nothing is told about."""
    before = {source.table: source for source in old.sources}
    for source in new.sources:
        if source.table in before:
            yield from _declared(before[source.table], source)
    for number, partner in matching.sinks.items():
        fed = [operator for operator in new.operators if number in operator.sinks]
        if all(operator.id in quiet for operator in fed):
            yield from _above(old.sinks[partner], new.sinks[number], fed)


def _declared(old: Source, new: Source) -> Iterator[Reason]:
    """Columns, watermark and options of a table that is read."""
    judged = "state is judged through the queries that read it"
    before, after = _by_name(old.columns), _by_name(new.columns)
    for name, column in after.items():
        if name not in before:
            yield _free("SRC-01", f"table '{new.table}' has a column `{column}`: {judged}")
        elif column != before[name]:
            change = f"column `{before[name]}` of table '{new.table}' is `{column}` now"
            yield _free("SRC-04", f"{change}: {judged}")
    for name, column in before.items():
        if name not in after:
            yield _free("SRC-02", f"table '{new.table}' has no column `{column}` now: {judged}")
    if old.watermark != new.watermark:
        text = (
            f"the watermark of table '{new.table}' is another: it is in no state; rows that were"
            " dropped as late stay dropped"
        )
        yield _free("SRC-03", text)
    if old.connector == new.connector and old.options != new.options:
        text = f"other options of table '{new.table}': no state hangs on them"
        yield _free("SRC-08", text)


def _by_name(columns: tuple[str, ...]) -> dict[str, str]:
    return {column.partition(" ")[0]: column for column in columns}


def _above(old: Sink, new: Sink, fed: list[Operator]) -> Iterator[Reason]:
    """Filters, lookups and columns above all state."""
    yield from _filters(old, new)
    lookup = any(" LOOKUP JOIN " in step for step in new.path)
    if lookup and (old.path, old.meanings) != (new.path, new.meanings):
        yield _free("LJOIN-01", "a lookup differs, and no state comes after it", old, new)
        return
    shown = strictness(fed[-1].kind).shown if fed else ("TSORT-01", "TSORT-01")
    after = "no state hangs on it"
    for name, meaning in zip(new.columns, new.meanings, strict=True):
        if meaning not in old.meanings:
            yield _free(shown[0], f"output column `{name}` is new or computed otherwise: {after}")
    for name, meaning in zip(old.columns, old.meanings, strict=True):
        if meaning not in new.meanings:
            yield _free(shown[1], f"output column `{name}` is gone: {after}")
    if old.meanings == new.meanings and old.columns != new.columns:
        yield _free("ALIAS-02", "output columns have other names: names are in no state")


def _filters(old: Sink, new: Sink) -> Iterator[Reason]:
    found = difference(old.filters, new.filters, replaces=True)
    after = "no state comes after it"
    changed = [(f"`{a.text}` becomes `{b.text}`", a, b) for a, b, _ in found.replaced]
    added = [(f"`{item.text}` is new", None, item) for item in found.added]
    gone = [(f"`{item.text}` is gone", item, None) for item in found.removed]
    for text, one, two in (*changed, *added, *gone):
        yield Reason(
            rule="WHERE-07",
            message=f"the filter {text}: {after}",
            verdict=Verdict.FULL,
            old=old.position if one is None else one.position,
            new=new.position if two is None else two.position,
        )


def _free(rule: str, message: str, old: Sink | None = None, new: Sink | None = None) -> Reason:
    return Reason(
        rule=rule,
        message=message,
        verdict=Verdict.FULL,
        old=None if old is None else old.position,
        new=None if new is None else new.position,
    )
