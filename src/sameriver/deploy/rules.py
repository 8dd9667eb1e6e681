"""How versions are compared, as the options of the new script say."""

from __future__ import annotations

from sameriver.common.config import Config
from sameriver.compat import Rules
from sameriver.compat.ways import IGNORE_FILTER, IGNORE_SINK, TRUSTED


def rules_of(config: Config) -> Rules:
    """How to compare, from the options of the new script."""
    names = config[TRUSTED].split(";")
    return Rules(
        ignore_filter=config.boolean(IGNORE_FILTER),
        ignore_sink=config.boolean(IGNORE_SINK),
        trusted=frozenset(name.strip().upper() for name in names if name.strip()),
    )
