"""Queries whose compiled plans lie in the JSON files beside ``queries.sql``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sameriver.flink.compiled import renumbered

HERE = Path(__file__).parent
_LEFT_OUT = ("description", "inputProperties", "shuffle", "shuffleMode")
"""What Flink needs to run a plan, but nothing reads here."""


def scripts() -> dict[str, str]:
    """Each query by its name, with the tables it reads."""
    tables, *sections = (HERE / "queries.sql").read_text(encoding="utf-8").split("\n## ")
    named = (section.split("\n", 1) for section in sections)
    return {name: f"{tables}\n{query}" for name, query in named}


def stored(name: str) -> str:
    """The compiled plan of a query, without names."""
    return (HERE / f"{name}.json").read_text(encoding="utf-8")


def store(name: str, plan: str) -> None:
    (HERE / f"{name}.json").write_text(small(plan), encoding="utf-8")


def small(plan: str) -> str:
    """A plan without what is not read, its nodes numbered from 1."""
    data = renumbered(json.loads(plan))
    nodes = [_short(node) for node in data["nodes"]]
    edges = [_short(edge) for edge in data["edges"]]
    lines = [json.dumps(node, ensure_ascii=False) for node in nodes]
    together = ",\n".join(lines)
    return f'{{"nodes": [\n{together}\n],\n"edges": {json.dumps(edges)}}}\n'


def _short(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _LEFT_OUT}
