"""The right side of a lookup join: a table, and what is filtered and computed over it."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema, unique
from sameriver.plan import logical
from sameriver.plan.expressions import Column, Expression, Named, substitute
from sameriver.plan.logical import Logical
from sameriver.plan.rules.tree import parts_of


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A table that is looked up.

    Attributes:
        scan: the table.
        names: of its columns as they are found, to those in the table.
        schema: its columns as they are found.
        columns: those of the right side, over the ones found.
        filters: what a row found has to pass, over the same.
    """

    scan: logical.Scan
    names: dict[str, str]
    schema: Schema
    columns: tuple[Named, ...]
    filters: tuple[Expression, ...]


def lookup_table(node: Logical, taken: Sequence[str]) -> LookupTable:
    """Takes the right side apart.

    Args:
        node: projections and filters over a table.
        taken: names that its columns can't be found under.

    Raises:
        UserError: UNSUPPORTED for other plans.
    """
    scan, columns, filters = _opened(node)
    physical = {f.name: f for f in scan.table.physical}
    found: dict[str, str] = {}
    for column in columns:
        held = column.expression
        if isinstance(held, Column) and held.name not in found:
            found[held.name] = column.name
    used = [*taken, *(column.name for column in columns)]
    for name in physical:
        if name not in found:
            found[name] = unique(name, used)
            used.append(found[name])
    by: dict[str, Expression] = {n: Column(found[n], f.type) for n, f in physical.items()}
    return LookupTable(
        scan=scan,
        names={new: old for old, new in found.items()},
        schema=Schema(tuple(Field(found[n], f.type) for n, f in physical.items())),
        columns=tuple(Named(c.name, substitute(c.expression, by)) for c in columns),
        filters=tuple(substitute(part, by) for part in filters),
    )


def _opened(node: Logical) -> tuple[logical.Scan, tuple[Named, ...], tuple[Expression, ...]]:
    """A scan, and the columns and filters over its physical columns."""
    match node:
        case logical.Scan(table=table):
            computed = {column.name: column.expression for column in table.computed}
            columns = tuple(
                Named(f.name, computed.get(f.name, Column(f.name, f.type.plain)))
                for f in node.schema
            )
            return node, columns, ()
        case logical.Filter(input=below, condition=condition):
            scan, columns, filters = _opened(below)
            by = {column.name: column.expression for column in columns}
            more = tuple(substitute(part, by) for part in parts_of(condition))
            return scan, columns, (*filters, *more)
        case logical.Project(input=below, columns=named):
            scan, columns, filters = _opened(below)
            by = {column.name: column.expression for column in columns}
            return scan, tuple(Named(c.name, substitute(c.expression, by)) for c in named), filters
    raise UserError(
        "UNSUPPORTED",
        "processing-time temporal join is not supported yet but for a table, or a view that"
        " filters and computes over one",
        hint="Join the table itself, and aggregate or join above the lookup.",
    )
