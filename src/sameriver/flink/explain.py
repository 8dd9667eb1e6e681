"""Flink's plans of a script, with the names and the state of their nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sameriver.flink.compiled import Node, read_plan
from sameriver.flink.names import named
from sameriver.flink.script import InsertJob, QueryJob, Step


def explain_text(steps: Sequence[Step]) -> str:
    """The plan of each job for people: of INSERTs each node with its name and its state."""
    return "\n".join(_text(step) for step in _jobs(steps))


def explain_json(steps: Sequence[Step]) -> str:
    """The same for programs: Flink's compiled plan of INSERTs with names, its text of queries."""
    told = [
        {"text": job.explained} if isinstance(job, QueryJob) else json.loads(named(job.plan))
        for job in _jobs(steps)
    ]
    return json.dumps(told, indent=2, ensure_ascii=False)


def _jobs(steps: Sequence[Step]) -> Iterator[InsertJob | QueryJob]:
    return (step for step in steps if isinstance(step, InsertJob | QueryJob))


def _text(job: InsertJob | QueryJob) -> str:
    if isinstance(job, QueryJob):
        return job.explained
    lines = ["== Compiled Plan =="]
    for node in read_plan(named(job.plan)):
        lines += _lines(node)
    return "\n".join(lines) + "\n"


def _lines(node: Node) -> Iterator[str]:
    reads = f" <- {', '.join(map(str, node.inputs))}" if node.inputs else ""
    yield f"[{node.id}] {node.data['description']}{reads}"
    if node.name:
        yield f"      name:  {node.name}"
    for state in node.data.get("state", ()):
        yield f"      state: {state['name']}, ttl {state['ttl']}"
