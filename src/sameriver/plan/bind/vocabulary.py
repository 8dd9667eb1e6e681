"""Names of calls that mean something only in some places."""

from __future__ import annotations

from sameriver.plan.window import WindowKind, WindowProperty

GROUP_WINDOWS = {
    "TUMBLE": WindowKind.TUMBLE,
    "HOP": WindowKind.HOP,
    "SESSION": WindowKind.SESSION,
}
"""Legacy group windows, in GROUP BY."""

WINDOW_PARTS = {
    f"{kind}_{word}": (window, part)
    for kind, window in GROUP_WINDOWS.items()
    for word, part in (
        ("START", WindowProperty.START),
        ("END", WindowProperty.END),
        ("ROWTIME", WindowProperty.TIME),
        ("PROCTIME", WindowProperty.PROCTIME),
    )
}
"""``TUMBLE_START`` and its like, beside a legacy group window."""

GROUPING_CALLS = frozenset({"GROUPING", "GROUPING_ID", "GROUP_ID"})

OVER_ONLY = frozenset(
    {
        "ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE", "LAG", "LEAD",
        "NTH_VALUE",
    }
)  # fmt: skip
