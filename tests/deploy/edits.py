"""Random edits of queries, of their tables and of the options that they run with."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from .queries import FAMILIES, Query
from .stacked import STACKED

EVERY = {**FAMILIES, **STACKED}
IGNORE_FILTER = "table.optimizer.state-compatibility.ignore-filter"
SHARDS = "parallelism.default"
TTL = "table.exec.state.ttl"


def random_edit(family: str, rng: random.Random) -> tuple[Query, Query]:
    """A query and one of its kind that differs in one choice or two, or in none.

    Each has shards of its own, and perhaps a column more that is not used. Rows live for ever, or
    longer than a test, or as long before as after.
    """
    base = EVERY[family]
    choices = {name: pick(rng) for name, pick in base.options.items()}
    changed = dict(choices)
    names = sorted(base.options)
    # Edits of what is computed are the ones that people make most.
    names += [name for name in ("plain", "calls") if name in names] * 4
    for name in dict.fromkeys(rng.sample(names, rng.choice([0, 1, 1, 1, 1, 2]))):
        changed[name] = _edited(choices[name], base.options[name], rng)
    ttl = rng.choice(["", "", "0", "4 s"])
    watermark = rng.choice(["SOURCE_WATERMARK()", "ts - INTERVAL '2' SECOND"])
    old, new = (
        replace(
            base,
            choices=chosen,
            settings=_settings(rng, ttl),
            extra=rng.choice(EXTRA),
            watermark=watermark,
        )
        for chosen in (choices, changed)
    )
    if base.ordered:
        new.settings[SHARDS] = old.settings[SHARDS]
    if rng.random() < 0.2:
        new.settings[IGNORE_FILTER] = "true"
    return old, new


EXTRA = ("", "", "", "extra DOUBLE, ")


def _settings(rng: random.Random, ttl: str) -> dict[str, str]:
    return {
        SHARDS: rng.choice("1123"),
        TTL: ttl or rng.choice(["0", "1 h", "36 h"]),
    }


def _edited(value: object, pick: Callable[[random.Random], object], rng: random.Random) -> object:
    """Another value; a list is most often the same with one more, one less or in other order."""
    fresh = pick(rng)
    if not isinstance(value, list) or not isinstance(fresh, list) or rng.random() < 0.2:
        return fresh
    how = rng.randrange(3)
    if how == 0:
        return [*value, *[item for item in fresh if item not in value][:1]]
    if how == 1 and len(value) > 1:
        return value[:-1]
    return rng.sample(value, len(value))
