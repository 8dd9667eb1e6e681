"""Rules that say the same of a case as its own rule, as reviewed one by one.

A case of a general rule (``LIM-03``, ``DOC-D6``) is told by the rule of the operator at hand; a
change that leaves no trace in the plan is told by ``LIM-11``, no change at all.
"""

from __future__ import annotations

NO_TRACE = "LIM-11"

EQUIVALENT: dict[str, tuple[str, ...]] = {
    # the documented examples of Realtime Compute, by the rule each is an example of
    "DOC-D1": ("DEDUP-01",),
    "DOC-D2": ("DEDUP-02",),
    "DOC-D3": ("DEDUP-03",),
    "DOC-D4": ("DEDUP-04",),
    "DOC-D5": ("ALIAS-02",),  # only the output loses a column, the stored row keeps it
    "DOC-D6": ("DEDUP-09",),
    "DOC-D7": ("DEDUP-10",),
    "DOC-D8": ("DEDUP-11",),
    "DOC-D9": ("DEDUP-13",),
    "DOC-D10": ("DEDUP-12",),
    "DOC-D11": ("DEDUP-07",),
    "DOC-D12": ("DEDUP-07",),
    "DOC-D13": ("DEDUP-05",),
    "DOC-D14": ("DEDUP-08",),
    "DOC-W1": ("WHERE-01",),
    "DOC-W2": ("WHERE-02",),
    "DOC-S1": ("TSORT-01",),
    "DOC-S2": ("TSORT-02",),
    "DOC-S3": ("TSORT-03",),
    "DOC-S4": ("TSORT-04",),
    # names are in no plan
    "ALIAS-01": ("ALIAS-02",),
    "ALIAS-02": (NO_TRACE,),
    # SUM and COUNT have the same argument, so one replaces the other
    "OVER-03": ("OVER-04",),
    # where the window stands in GROUP BY, and the unit of an interval, are in no plan
    "GWIN-08": (NO_TRACE,),
    "WTVF-09": (NO_TRACE,),
    "IJOIN-05": (NO_TRACE,),
    # no aggregate on either side: what differs is the window column shown
    "WTVF-08": ("WTVF-07",),
    # the operator behind the lookup, by its own rules
    "LJOIN-02": ("GAGG-01",),
    "LJOIN-03": ("DEDUP-07", "GAGG-09"),
    # several changes at once, each by its own rule
    "LIM-03": ("GAGG-04",),
    "LIM-04": ("GAGG-04",),
    "LIM-05": ("WHERE-02",),
    "LIM-07": ("SINK-01",),
    "LIM-08": ("SINK-01",),
    "LIM-09": ("SINK-01", "SINK-02"),
    "LIM-10": ("GAGG-04",),
}


def accepted(rule: str) -> tuple[str, ...]:
    """The rules that may stand for a case's rule."""
    return (rule, *EQUIVALENT.get(rule, ()))
