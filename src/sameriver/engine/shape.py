"""Whether a job can go on from saved state as it is."""

from __future__ import annotations

from sameriver.checkpoint.manifest import SavedColumn, SavedJob, SavedNode, SavedTable


def difference(new: SavedJob, old: SavedJob) -> str:
    """What keeps a job from going on from the state of another; empty if nothing does.

    Names of tables and columns and times to live may differ, meanings may not.
    """
    for what, now, was in (
        ("the tables it reads", _sources(new), _sources(old)),
        ("the tables it writes", _sinks(new), _sinks(old)),
    ):
        if now != was:
            return f"{what} were {', '.join(was)}, and are now {', '.join(now)}"
    for node, before in zip(new.nodes, old.nodes, strict=False):
        if _shape(node) != _shape(before):
            if node.kind != before.kind:
                return f"operator {node.number} was '{before.kind}', and is now '{node.kind}'"
            return f"operator {node.number} '{node.kind}' keeps other state now"
    if len(new.nodes) != len(old.nodes):
        return f"it had {len(old.nodes)} operators, and has now {len(new.nodes)}"
    return ""


def _sources(job: SavedJob) -> list[str]:
    return [source.table for source in job.sources]


def _sinks(job: SavedJob) -> list[str]:
    return [sink.table for sink in job.sinks]


def _shape(node: SavedNode) -> tuple[object, ...]:
    return node.kind, node.inputs, tuple(map(_table, node.tables))


def _table(table: SavedTable) -> tuple[object, ...]:
    return table.scope, _columns(table.key), _columns(table.values)


def _columns(columns: tuple[SavedColumn, ...]) -> list[tuple[str, str, str]]:
    return [(c.meaning, c.type, c.role) for c in columns if not c.is_access]
