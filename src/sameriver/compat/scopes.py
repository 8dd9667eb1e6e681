"""Which rows reach an operator: sources, filters, and what else shapes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sameriver.compat.description import Operator
from sameriver.compat.differences import difference
from sameriver.compat.report import Reason, Verdict
from sameriver.compat.strictness import Strictness

_STEPS = (
    ("UNION ALL(", "UNION-02"), ("GROUPING SETS", "WTVF-27"), ("LIMIT ", "LIMIT-01"),
    ("GROUP BY", "GAGG-09"), ("TUMBLE(", "WTVF-11"), ("HOP(", "WTVF-11"),
    ("CUMULATE(", "WTVF-11"), ("SESSION(", "WTVF-11"),
)  # fmt: skip
"""Rule of a step on the way that differs, by how it begins."""


def source_reasons(old: Operator, new: Operator) -> Iterator[Reason]:
    """Tables that it reads no longer, or newly."""
    before, after = Counter(old.sources), Counter(new.sources)
    gone, come = list((before - after).elements()), list((after - before).elements())
    for one, other in zip(list(gone), list(come), strict=False):
        (table, _, was), (named, _, now) = one.partition(":"), other.partition(":")
        gone.remove(one)
        come.remove(other)
        if table == named:
            text = f"table '{table}' has connector '{now}' now, it was '{was}'"
            yield _source(
                old, new, "SRC-05", f"{text}: what was read from it can't be gone on with"
            )
        else:
            text = f"it reads table '{named}' instead of '{table}'"
            yield _source(old, new, "SRC-06", f"{text}: its state was built from other rows")
    union = any(step.startswith("UNION ALL(") for step in (*old.path, *new.path))
    for source in come:
        rule, table = ("UNION-02" if union else "LIM-06"), source.partition(":")[0]
        yield _source(old, new, rule, f"it also reads table '{table}': its state lacks those rows")
    for source in gone:
        rule, table = ("UNION-03" if union else "LIM-06"), source.partition(":")[0]
        yield _source(
            old, new, rule, f"it no longer reads table '{table}': its state holds those rows"
        )


def _source(old: Operator, new: Operator, rule: str, message: str) -> Reason:
    return Reason(
        rule=rule,
        message=message,
        verdict=Verdict.INCOMPATIBLE,
        old=old.position,
        new=new.position,
    )


def filter_reasons(
    old: Operator, new: Operator, strict: Strictness, *, ignored: bool
) -> Iterator[Reason]:
    """Conditions below that come, change, or go."""
    found = difference(old.filters, new.filters, replaces=True)
    added, changed, removed = strict.filters
    ignored = ignored and strict.ignores_filters
    if ignored:
        added, changed, removed = _ignored(strict)
    verdict = Verdict.FULL if ignored else Verdict.INCOMPATIBLE
    held = "; ignore-filter is set, so it goes on, but old state may still hold rows that"
    for one, two, _ in found.replaced:
        ending = f"{held} only `{one.text}` lets through" if ignored else _BUILT
        text = f"the filter `{one.text}` below it becomes `{two.text}`{ending}"
        yield Reason(
            rule=changed, message=text, verdict=verdict, old=one.position, new=two.position
        )
    for item in found.added:
        ending = f"{held} `{item.text}` drops" if ignored else _BUILT
        text = f"the filter `{item.text}` below it is new{ending}"
        yield Reason(rule=added, message=text, verdict=verdict, old=old.position, new=item.position)
    for item in found.removed:
        lacks = "; ignore-filter is set, so it goes on, but old state lacks the rows that"
        ending = f"{lacks} `{item.text}` dropped" if ignored else _BUILT
        text = f"the filter `{item.text}` below it is gone{ending}"
        yield Reason(
            rule=removed, message=text, verdict=verdict, old=item.position, new=new.position
        )


_BUILT = ": its state was built from other rows"


def _ignored(strict: Strictness) -> tuple[str, str, str]:
    """Rules of filters with ignore-filter."""
    by_rule = {"RJOIN-06": "RJOIN-05", "IJOIN-07": "IJOIN-06"}
    first = by_rule.get(strict.filters[0])
    return (first, first, first) if first is not None else ("WHERE-02", "WHERE-04", "WHERE-06")


def path_reasons(
    old: Operator, new: Operator, strict: Strictness, upstream: Sequence[str]
) -> Iterator[Reason]:
    """Joins, aggregations, windows and unions below that differ."""
    before, after = Counter(old.path), Counter(new.path)
    gone, come = list((before - after).elements()), list((after - before).elements())
    if old.path == new.path:
        return
    own = next((rule for step in (*come, *gone) if (rule := _step_rule(step))), strict.path)
    rule = upstream[0] if upstream else own
    steps = (*gone, *come) or new.path
    where = ", ".join(dict.fromkeys(_short(step) for step in steps))
    yield Reason(
        rule=rule,
        message=f"the rows that reach it are made another way ({where}): its state was built from"
        " other rows",
        verdict=Verdict.INCOMPATIBLE,
        old=old.position,
        new=new.position,
    )


def _step_rule(step: str) -> str:
    if " LOOKUP JOIN " in step:
        return "LJOIN-03"
    if " JOIN ON " in step:
        return "RJOIN-02"
    return next((rule for start, rule in _STEPS if step.startswith(start)), "")


def _short(step: str, length: int = 60) -> str:
    return step if len(step) <= length else f"{step[: length - 3]}..."
