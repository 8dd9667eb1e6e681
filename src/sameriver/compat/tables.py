"""What becomes of the state tables of an operator, column by column, by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.state import Role
from sameriver.compat.description import Column, Operator, Table
from sameriver.compat.report import TableChange


def table_changes(old: Operator, new: Operator) -> tuple[TableChange, ...]:
    """Old tables go on in the new tables that are kept by the same keys and hold most of them."""
    left = list(old.tables)
    changes: list[TableChange] = []
    for table in new.tables:
        partner = _partner(table, left)
        if partner is None:
            added = tuple(column.name for column in table.columns)
            changes.append(TableChange(old=None, new=table.name, added=added))
        else:
            left.remove(partner)
            changes.append(_change(partner, table))
    return (
        *changes,
        *(
            TableChange(old=table.name, new=None, dropped=tuple(c.name for c in table.columns))
            for table in left
        ),
    )


def _partner(table: Table, among: Sequence[Table]) -> Table | None:
    fits = [other for other in among if _keys(other) == _keys(table) and _alike(other, table)]
    named = [other for other in fits if other.name == table.name]
    return next(iter(sorted(named or fits, key=lambda other: -len(_common(other, table)))), None)


def _alike(one: Table, other: Table) -> bool:
    """Whether anything but keys goes on, or there is nothing but keys."""
    return (
        bool(_common(one, other)) or one.name == other.name or not (_values(one) | _values(other))
    )


def _keys(table: Table) -> set[tuple[str, str]]:
    return {(c.meaning, c.type) for c in table.columns if c.role == Role.KEY.value}


def _values(table: Table) -> set[tuple[str, str]]:
    return {(c.meaning, c.type) for c in table.columns if c.role != Role.KEY.value}


def _common(one: Table, other: Table) -> set[tuple[str, str]]:
    return _values(one) & _values(other)


def _change(old: Table, new: Table) -> TableChange:
    left = list(old.columns)
    pairs: list[tuple[str, str]] = []
    added: list[str] = []
    # What keeps its name comes first: COUNT(*) and the count of live rows mean the same.
    kept = {column.name for column in new.columns} & {column.name for column in old.columns}
    for column in sorted(new.columns, key=lambda column: column.name not in kept):
        alike = [other for other in left if _same(other, column)]
        named = [other for other in alike if other.name == column.name]
        others = [other for other in alike if not (other.name in kept and _stays(other, new))]
        partner = next(iter(named or others), None)
        if partner is None:
            added.append(column.name)
        else:
            left.remove(partner)
            pairs.append((partner.name, column.name))
    return TableChange(
        old=old.name,
        new=new.name,
        columns=tuple(pairs),
        dropped=tuple(column.name for column in left),
        added=tuple(added),
    )


def _stays(column: Column, table: Table) -> bool:
    """Whether the other table has the column under the same name."""
    return any(other.name == column.name and _same(column, other) for other in table.columns)


def _same(one: Column, other: Column) -> bool:
    return (one.meaning, one.type) == (other.meaning, other.type)
