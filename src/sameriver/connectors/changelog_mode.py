"""``changelog-mode``: which change kinds a table of rows from this process holds."""

from __future__ import annotations

from sameriver.common.changes import ChangeKind
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.options import Options, choice

INSERT_ONLY, UPSERT, ALL = "insert-only", "upsert", "all"
MODES = {
    INSERT_ONLY: frozenset({ChangeKind.INSERT}),
    UPSERT: frozenset(ChangeKind) - {ChangeKind.UPDATE_BEFORE},
    ALL: frozenset(ChangeKind),
}
"""Under the names of Flink's ``ChangelogMode``. Of a row that an upsert deletes the primary key
counts."""

CHANGELOG_MODE = ConnectorOption(
    "changelog-mode", "insert-only, upsert or all; default: insert-only to read, all to write"
)


def delivered(options: Options) -> frozenset[ChangeKind]:
    """Kinds that a table gives when read."""
    return MODES[choice(options, CHANGELOG_MODE.key, INSERT_ONLY, list(MODES))]


def is_upsert(options: Options) -> bool:
    """Whether a table gives upserts when read."""
    return delivered(options) == MODES[UPSERT]


def accepted(options: Options) -> frozenset[ChangeKind]:
    """Kinds that a table takes when written."""
    return MODES[choice(options, CHANGELOG_MODE.key, ALL, list(MODES))]
