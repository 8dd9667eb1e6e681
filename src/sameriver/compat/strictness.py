"""How strictly each kind of operator holds to what its state hangs on: the one table of it.

A difference that no line here foresees still shows, since declared state is compared too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from sameriver.common.dataclass import dataclass


class How(Enum):
    """What may happen to the items of a trait."""

    SET = "set"
    """Nothing; their order is free."""
    SEQUENCE = "sequence"
    """Nothing, nor to their order."""
    FREE = "free"
    """Each may come and go; a new one starts empty."""
    DERIVED = "derived"
    """Each may come and go; a new one is computed from what is stored."""
    SHOWN = "shown"
    """Anything; they are in no state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """How a trait is held.

    Attributes:
        how: what may happen.
        noun: what an item is called.
        why: why a change matters, after a colon.
        added, removed, moved: rules of an item that comes, goes, or changes places.
        changed: rules of an item that another takes the place of, by how much alike they are
            (``Item.like``); the last stands for all others.
        exchanged: rule of a free item that comes as another goes.
        beside: rule of an aggregate that comes beside DISTINCT ones.
        replaces: whether an item that comes takes the place of any that goes.
        decisive: where it differs, no later trait is looked at.
    """

    how: How
    noun: str
    why: str = ""
    added: str
    removed: str
    changed: tuple[str, ...]
    moved: str = ""
    exchanged: str = ""
    beside: str = ""
    replaces: bool = True
    decisive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """What one kind of operator allows.

    Attributes:
        holds: by trait, in the order in which differences are told.
        survivor: rules if no aggregate of the old plan is left: aggregates in both plans, none in
            the new one, none in the old one; empty: that may be.
        filters: rules of a condition below that comes, changes, or goes.
        ignores_filters: whether the option ``ignore-filter`` applies.
        path: rule of rows that reach it another way.
        state: rule of any other difference in its state.
        gone, new: rules of an operator without a partner.
        shown: rules of an output column that comes or goes above it, while its state stays.
    """

    holds: Mapping[str, Hold]
    survivor: tuple[str, str, str] = ("", "", "")
    filters: tuple[str, str, str] = ("WHERE-01", "WHERE-03", "WHERE-05")
    ignores_filters: bool = True
    path: str
    state: str
    gone: str = "LIM-06"
    new: str = "LIM-06"
    shown: tuple[str, str] = ("ALIAS-02", "ALIAS-02")


def _set(noun: str, why: str, added: str, removed: str = "", *changed: str) -> Hold:
    removed = removed or added
    return Hold(
        how=How.SET, noun=noun, why=why, added=added, removed=removed, changed=changed or (added,)
    )


def _columns(noun: str, added: str, removed: str = "", *changed: str) -> Hold:
    """Of stored rows; a column is another if it is computed otherwise under its name."""
    return replace(_set(noun, _ROWS, added, removed, *changed), replaces=False)


def _one(noun: str, why: str, rule: str, *, decisive: bool = False) -> Hold:
    """Of a trait that is one thing, there or not."""
    hold = _set(noun, why, rule)
    return replace(hold, decisive=decisive)


def _sequence(noun: str, why: str, added: str, removed: str, changed: str, moved: str) -> Hold:
    hold = _set(noun, why, added, removed, changed)
    return replace(hold, how=How.SEQUENCE, moved=moved)


def _aggregates(
    added: str, removed: str, exchanged: str, changed: tuple[str, str, str], moved: str
) -> Hold:
    return Hold(
        how=How.FREE,
        noun="aggregate",
        added=added,
        removed=removed,
        exchanged=exchanged,
        changed=changed,
        moved=moved,
        replaces=False,
    )


def _shown(noun: str, added: str, removed: str, changed: str = "", moved: str = "") -> Hold:
    return Hold(
        how=How.SHOWN,
        noun=noun,
        added=added,
        removed=removed,
        changed=(changed or added,),
        moved=moved or changed or added,
        replaces=False,
    )


_GROUPS = "state is kept by group key, so no stored group can be found by the new ones"
_SEEN = "which values were seen can't be told from the old state"
_ORDER = "distinct aggregates are known by their order"
_WINDOWS = "open windows were cut another way"
_ROWS = "the stored rows lack it or hold it as it was computed before"
_PARTITIONS = "state is kept by partition key"
_MEETS = "rows that are stored already have met their matches, or not, the old way"
_RANKED = "rows were kept or thrown away by the old ranking"
_CHANGES = "stored accumulators can't take rows back, or needn't"
_ZONE = "values from points in time were computed in the old zone"

_COMMON = {
    "changes": _one("input of updates and deletions", _CHANGES, "SRC-07"),
    "union input": Hold(
        how=How.SHOWN, noun="union input", added="", removed="", changed=("",), moved="UNION-01"
    ),
    "types on the way": replace(
        _set("column", "the rows that reach it were made with the old type", "SRC-07"),
        added="",
        removed="",
        replaces=False,
    ),
    "zone of expressions": replace(_one("time zone", _ZONE, "GAGG-09"), added="", removed=""),
}
"""Of all kinds."""


def _window(type: str, size: str, time: str, step: str, offset: str) -> Mapping[str, Hold]:
    return {
        "window type": _one("window", _WINDOWS, type, decisive=True),
        "window time": _one("time attribute of the window", _WINDOWS, time),
        "window size": _one("window size", _WINDOWS, size),
        "window gap": _one("session gap", _WINDOWS, step),
        "window step": _one("step of the window", _WINDOWS, step),
        "window offset": _one("window offset", _WINDOWS, offset),
        "time zone": _one("time zone of the window", _WINDOWS, offset),
        "window key": _set("session key", _PARTITIONS, time),
    }


def _join(type: str, equality: str, condition: str, one_sided: str, column: str) -> dict[str, Hold]:
    return {
        "join type": _one("join", _MEETS, type),
        "equality": _set("equality", "stored rows are found by it", equality),
        "condition": _set("condition", _MEETS, condition),
        "one-sided condition": _set(
            "condition", f"it can't be applied below the join; {_MEETS}", one_sided
        ),
        "left column": _columns("stored column of the left side", column),
        "right column": _columns("stored column of the right side", column),
        "left key": _columns("key of the left rows", column),
        "right key": _columns("key of the right rows", column),
    }


_REGULAR = _join("RJOIN-01", "RJOIN-02", "RJOIN-03", "RJOIN-07", "RJOIN-04")
_RJOIN_FILTERS = ("RJOIN-06", "RJOIN-06", "RJOIN-06")

STRICTNESS: Mapping[str, Strictness] = {
    "GroupAggregate": Strictness(
        holds={
            "grouping sets": _one("grouping sets", _GROUPS, "GAGG-09", decisive=True),
            "group key": _set("group key", _GROUPS, "GAGG-07", "GAGG-08", "GAGG-09"),
            "distinct aggregate": replace(
                _sequence("distinct aggregate", _SEEN, "GAGG-13", "GAGG-14", "GAGG-15", "GAGG-10"),
                changed=("GAGG-18", "GAGG-15"),
            ),
            "aggregate": replace(
                _aggregates(
                    "GAGG-01", "GAGG-02", "GAGG-03", ("GAGG-17", "GAGG-04", "GAGG-06"), "GAGG-05"
                ),
                beside="GAGG-12",
            ),
            "order of aggregates": _shown("aggregate", "", "", moved="GAGG-11"),
        },
        survivor=("GAGG-16", "GAGG-16", "GAGG-16"),
        path="GAGG-06",
        state="GAGG-06",
    ),
    "WindowAggregate": Strictness(
        holds={
            **_window("WTVF-10", "WTVF-11", "WTVF-12", "WTVF-29", "WTVF-28"),
            "grouping sets": _one("grouping sets", _GROUPS, "WTVF-27", decisive=True),
            "group key": _sequence(
                "group key", _GROUPS, "WTVF-13", "WTVF-14", "WTVF-15", "WTVF-16"
            ),
            "distinct aggregate": _sequence(
                "distinct aggregate", _SEEN, "WTVF-17", "WTVF-18", "WTVF-19", "WTVF-19"
            ),
            "calculation": _set(
                "computing step between the window and GROUP BY",
                "windows are shared with what was computed before",
                "WTVF-24",
                "WTVF-25",
            ),
            "aggregate": _aggregates(
                "WTVF-01", "WTVF-02", "WTVF-03", ("WTVF-04", "WTVF-04", "WTVF-06"), "WTVF-05"
            ),
            "window column": _shown("window column", "WTVF-07", "WTVF-07", moved="WTVF-09"),
        },
        survivor=("WTVF-23", "WTVF-20", "WTVF-21"),
        path="WTVF-24",
        state="WTVF-24",
        gone="WTVF-26",
        new="WTVF-26",
        shown=("WTVF-07", "WTVF-07"),
    ),
    "GroupWindow": Strictness(
        holds={
            **_window("GWIN-09", "GWIN-10", "GWIN-12", "GWIN-11", "GWIN-11"),
            "group key": _set("group key", _GROUPS, "GWIN-13", "GWIN-14", "GWIN-15"),
            "distinct aggregate": _sequence(
                "distinct aggregate", _SEEN, "GWIN-16", "GWIN-17", "GWIN-18", "GWIN-18"
            ),
            "early fire": _set("early fire", "open windows wait for the old time", "GWIN-19"),
            "late fire": _set("late fire", "open windows wait for the old time", "GWIN-20"),
            "lateness": _set("lateness", "windows were kept for the old time", "GWIN-20"),
            "aggregate": _aggregates(
                "GWIN-01", "GWIN-02", "GWIN-03", ("GWIN-04", "GWIN-04", "GWIN-06"), "GWIN-05"
            ),
            "window column": _shown("window column", "GWIN-07", "GWIN-07"),
        },
        survivor=("", "GWIN-02", ""),
        path="GWIN-06",
        state="GWIN-06",
        shown=("GWIN-07", "GWIN-07"),
    ),
    "WindowTable": Strictness(
        holds={
            **_window("WTVF-10", "WTVF-11", "WTVF-12", "WTVF-29", "WTVF-28"),
            "stored column": _columns("stored column", "WTVF-24"),
        },
        path="WTVF-24",
        state="WTVF-24",
    ),
    "OverAggregate": Strictness(
        holds={
            "partition key": _set("partition key", _PARTITIONS, "OVER-07"),
            "order": _one("order", "rows came in the old order", "OVER-08"),
            "frame": _one("frame", "the old frame held other rows", "OVER-09"),
            "distinct aggregate": _sequence(
                "distinct aggregate", _SEEN, "OVER-10", "OVER-10", "OVER-10", "OVER-10"
            ),
            "input column": _columns("input column", "OVER-06"),
            "aggregate": _aggregates(
                "OVER-01", "OVER-02", "OVER-03", ("OVER-04", "OVER-04", "OVER-04"), "OVER-05"
            ),
        },
        path="OVER-06",
        state="OVER-06",
    ),
    "OverSorted": Strictness(
        holds={
            "partition key": _set("partition key", _PARTITIONS, "OVER-07"),
            "order": _sequence("order", _RANKED, "OVER-08", "OVER-08", "OVER-08", "OVER-08"),
            "frame": Hold(
                how=How.DERIVED,
                noun="frame",
                added="OVER-05",
                removed="OVER-05",
                changed=("OVER-05",),
            ),
            "input column": _columns("input column", "OVER-06"),
            **dict.fromkeys(
                ("distinct aggregate", "aggregate"),
                Hold(
                    how=How.DERIVED,
                    noun="aggregate",
                    added="OVER-05",
                    removed="OVER-02",
                    changed=("OVER-05",),
                    moved="OVER-05",
                ),
            ),
        },
        path="OVER-06",
        state="OVER-06",
    ),
    "Deduplicate": Strictness(
        holds={
            "partition key": replace(
                _set("partition key", _PARTITIONS, "DEDUP-09", "DEDUP-10", "DEDUP-11"),
                moved="DEDUP-04",
            ),
            "order": _one("order", _RANKED, "DEDUP-13"),
            "direction": _one("direction", _RANKED, "DEDUP-12", decisive=True),
            "last row column": _columns("stored column", "DEDUP-07", "DEDUP-07", "DEDUP-05"),
            "timed row column": _columns("stored column", "DEDUP-08", "DEDUP-08", "DEDUP-06"),
            "passed column": _shown("column", "DEDUP-01", "DEDUP-02", "DEDUP-03"),
        },
        path="DEDUP-08",
        state="DEDUP-08",
    ),
    "TopN": Strictness(
        holds={
            "row key": replace(
                _set("upsert key of the ranked rows", "rows are known by it", "TOPN-04"),
                decisive=True,
            ),
            "partition key": replace(
                _set("partition key", _PARTITIONS, "TOPN-05", "TOPN-06", "TOPN-07"),
                moved="TOPN-01",
            ),
            "order": replace(
                _sequence("order", _RANKED, "TOPN-08", "TOPN-08", "TOPN-08", "TOPN-08"),
                changed=("TOPN-09", "TOPN-08"),
            ),
            "rank function": _one("rank function", _RANKED, "TOPN-08"),
            "rank range": _one("number of ranks", _RANKED, "TOPN-10"),
            "stored column": _columns("stored column", "TOPN-11", "TOPN-12", "TOPN-13"),
            "rank column": _shown("rank column", "TOPN-02", "TOPN-03"),
        },
        path="TOPN-13",
        state="TOPN-13",
    ),
    "WindowTopN": Strictness(
        holds={
            **_window("WTOPN-05", "WTOPN-05", "WTOPN-05", "WTOPN-05", "WTOPN-05"),
            "group key": _set("group key of the window", _RANKED, "WTOPN-06"),
            "ranked aggregate": replace(
                _columns("aggregate of the window", "WTOPN-10"), decisive=True
            ),
            "partition key": _set("partition key", _PARTITIONS, "WTOPN-07"),
            "order": _sequence("order", _RANKED, "WTOPN-08", "WTOPN-08", "WTOPN-08", "WTOPN-08"),
            "rank function": _one("rank function", _RANKED, "WTOPN-08"),
            "rank range": _one("number of ranks", _RANKED, "WTOPN-09"),
            "stored column": _columns("stored column", "TOPN-11", "TOPN-12", "TOPN-13"),
            "rank column": _shown("rank column", "WTOPN-03", "WTOPN-04"),
        },
        path="WTOPN-06",
        state="WTOPN-10",
        shown=("WTOPN-01", "WTOPN-02"),
    ),
    "Join": Strictness(holds=_REGULAR, filters=_RJOIN_FILTERS, path="RJOIN-04", state="RJOIN-04"),
    "IntervalJoin": Strictness(
        holds={
            **_join("IJOIN-01", "IJOIN-02", "IJOIN-02", "IJOIN-02", "IJOIN-04"),
            "interval": _one("interval", "rows were kept as long as the old one asks", "IJOIN-03"),
        },
        filters=("IJOIN-07", "IJOIN-07", "IJOIN-07"),
        path="IJOIN-04",
        state="IJOIN-04",
    ),
    "TemporalJoin": Strictness(
        holds={
            **_join("TJOIN-01", "TJOIN-02", "TJOIN-02", "TJOIN-02", "TJOIN-03"),
            "version time": _one("time of the versions", _MEETS, "TJOIN-02"),
        },
        filters=("TJOIN-02", "TJOIN-02", "TJOIN-02"),
        ignores_filters=False,
        path="TJOIN-03",
        state="TJOIN-03",
    ),
    "WindowJoin": Strictness(
        holds={
            "window type": _one("window", _WINDOWS, "WTVF-10"),
            **_join("RJOIN-01", "RJOIN-02", "RJOIN-03", "RJOIN-07", "RJOIN-04"),
        },
        filters=_RJOIN_FILTERS,
        path="WTVF-10",
        state="RJOIN-04",
    ),
    "LookupJoin": Strictness(
        holds={
            "lookup": _one("lookup", _ROWS, "LJOIN-04"),
            "looked-up columns": _one("looked-up columns", _ROWS, "LJOIN-04"),
            "input column": _columns("stored column", "LJOIN-04"),
        },
        path="LJOIN-04",
        state="LJOIN-04",
    ),
    "SetOperation": Strictness(
        holds={
            "set operation": _one("set operation", _MEETS, "RJOIN-01"),
            "left column": _columns("column of the left side", "RJOIN-04"),
            "right column": _columns("column of the right side", "RJOIN-04"),
        },
        path="RJOIN-04",
        state="RJOIN-04",
    ),
    "TemporalSort": Strictness(
        holds={
            "order": replace(
                _sequence("order", _RANKED, "TSORT-04", "TSORT-04", "TSORT-04", "TSORT-04"),
                changed=("TSORT-05", "TSORT-04"),
            ),
            "stored column": _columns("waiting column", "TSORT-03"),
        },
        path="TSORT-03",
        state="TSORT-03",
        gone="TSORT-04",
        new="TSORT-04",
        shown=("TSORT-02", "TSORT-02"),
    ),
    "ChangelogNormalize": Strictness(
        holds={
            "primary key": _set("primary key", "rows are known by it", "SRC-09"),
            "stored column": _columns("column read", "SRC-07"),
        },
        path="SRC-07",
        state="SRC-07",
        gone="SRC-09",
        new="SRC-09",
    ),
    "SinkMaterializer": Strictness(
        holds={
            "sink key": _set("primary key of the sink", "rows are stored by it", "SINK-08"),
            "upsert key": _set("upsert key of the rows", "rows are known by it", "SINK-08"),
            "stored column": _columns("column written", "SINK-08"),
        },
        path="SINK-08",
        state="SINK-08",
        gone="SINK-08",
        new="SINK-08",
    ),
    "Limit": Strictness(
        holds={
            "limit": _one("limit", "rows were counted up to the old one", "LIMIT-01"),
            "offset": _one("offset", "rows were counted from the old one", "LIMIT-02"),
            "input column": _set(
                "column that enters the limit",
                "it is counted by rows of the old columns",
                "LIMIT-03",
            ),
        },
        path="LIMIT-03",
        state="LIMIT-03",
        gone="LIMIT-04",
        new="LIMIT-04",
    ),
    "MatchRecognize": Strictness(
        holds={
            "partition key": _set("partition key", _PARTITIONS, "CEP-04"),
            "order": _sequence("order", _RANKED, "CEP-05", "CEP-05", "CEP-05", "CEP-05"),
            "pattern": _one(
                "pattern", "matches have begun by the old one", "CEP-01", decisive=True
            ),
            "definitions": _one("definition", "matches have begun by the old one", "CEP-06"),
            "measures": _one("measures", "matches have begun with the old ones", "CEP-02"),
            "after match": _one("AFTER MATCH", "matches have begun by the old one", "CEP-03"),
            "time bound": _one("WITHIN", "matches have begun by the old one", "CEP-07"),
        },
        path="CEP-01",
        state="CEP-02",
    ),
}

OTHER = Strictness(holds={}, path="LIM-06", state="LIM-06")
"""Of kinds that the table does not list: nothing in their state may change."""


def strictness(kind: str) -> Strictness:
    """What a kind of operator allows."""
    found = STRICTNESS.get(kind, OTHER)
    return replace(found, holds={**_COMMON, **found.holds})
