"""Stable names for what a plan keeps in savepoints.

Flink finds the state of an operator by a name. One that is made of the meaning of the state finds
it after any edit that leaves the meaning alone, and never another one's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sameriver.flink.compiled import CompiledPlan, plan_text, read_plan, renumbered, with_name
from sameriver.flink.meaning import StateNode, fingerprint, state_nodes


def named(plan: str, before: str | None = None) -> str:
    """A compiled plan whose stateful nodes, sources and sinks carry names of their own.

    Nodes that mean the same get a suffix each. With the plan from ``before`` the change, whose
    nodes carry names already, such nodes keep the names that they had: they are told apart by the
    filters below them, then by the tables they end in.

    Raises:
        ExternalError: FOREIGN_PLAN.
    """
    parsed = read_plan(plan)
    old = state_nodes(read_plan(before)) if before is not None else ()
    return _with_names(parsed, names_of(state_nodes(parsed), old))


def names_of(nodes: Sequence[StateNode], before: Sequence[StateNode] = ()) -> dict[int, str]:
    """The name of each node by its id."""
    groups: dict[str, list[StateNode]] = defaultdict(list)
    for node in nodes:
        groups[node.base].append(node)
    names: dict[int, str] = {}
    for base, group in groups.items():
        old = [node for node in before if node.base == base and node.node.name]
        names |= _kept(group, old)
        rest = [node for node in group if node.node.id not in names]
        taken = {*names.values(), *(node.node.name for node in old)}
        if len(group) == len(rest) == 1 and base not in taken:
            names[rest[0].node.id] = base
        else:
            names |= _apart(base, rest, taken)
    return names


def _kept(group: Sequence[StateNode], old: Sequence[StateNode]) -> dict[int, str]:
    """The names of old nodes that there is no doubt about."""
    if len(group) == len(old) == 1:
        return {group[0].node.id: old[0].node.name}
    found: dict[int, str] = {}
    for same in (_context, lambda node: node.filters, lambda node: node.sinks):
        open_new = [node for node in group if node.node.id not in found]
        open_old = [node for node in old if node.node.name not in found.values()]
        for node in open_new:
            twins = [one for one in open_new if same(one) == same(node)]
            partners = [one for one in open_old if same(one) == same(node)]
            if len(twins) == len(partners) == 1:
                found[node.node.id] = partners[0].node.name
    return found


def _context(node: StateNode) -> tuple[tuple[str, ...], ...]:
    return (node.filters, node.sinks)


def _apart(base: str, rest: Sequence[StateNode], taken: set[str]) -> dict[int, str]:
    """Names for nodes of one meaning: by what reaches them and where they end, then by number."""
    names: dict[int, str] = {}
    for node in rest:
        wanted = f"{base}-{fingerprint(repr(_context(node)))}"
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        names[node.node.id] = name
    return names


def _with_names(plan: CompiledPlan, names: dict[int, str]) -> str:
    nodes = [
        with_name(node, names[node["id"]]) if node["id"] in names else node
        for node in plan.data["nodes"]
    ]
    return plan_text(renumbered({**plan.data, "nodes": nodes}))
