"""Names in sight of an expression, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError, nearest
from sameriver.plan.expressions import Column
from sameriver.plan.logical import Logical
from sameriver.sql.nodes import position


@dataclass(frozen=True, slots=True)
class Visible:
    """A column as the user names it, and the column of the plan it stands for."""

    name: str
    column: Column


@dataclass(frozen=True, slots=True)
class Relation:
    """An item of FROM.

    Attributes:
        node: its plan.
        columns: what can be named, in order.
        path: the full name by which columns can be qualified, last part first in use; empty for
            a derived table without alias.
        hintable: whether a hint may name it (tables, views and aliases may).
    """

    node: Logical
    columns: tuple[Visible, ...]
    path: tuple[str, ...] = ()
    hintable: bool = True

    @property
    def name(self) -> str | None:
        return self.path[-1] if self.path else None


def relation_of(node: Logical, path: Sequence[str] = (), *, hintable: bool = True) -> Relation:
    """All columns of a plan under their own names."""
    columns = tuple(Visible(f.name, Column(f.name, f.type)) for f in node.schema)
    return Relation(node, columns, tuple(path), hintable)


@dataclass(frozen=True, slots=True)
class Scope:
    """The items of FROM.

    Attributes:
        relations: what a qualifier may name.
        merged: what can be named without a qualifier, where that isn't simply all columns: USING
            puts its columns first, and once.
        outer: the names around the query, for a query within an expression.
    """

    relations: tuple[Relation, ...] = ()
    merged: tuple[Visible, ...] | None = None
    outer: Scope | None = None

    @property
    def columns(self) -> tuple[Visible, ...]:
        """What ``*`` gives, and what can be named without a qualifier."""
        if self.merged is not None:
            return self.merged
        return tuple(column for relation in self.relations for column in relation.columns)

    def names(self) -> list[str]:
        """All column names in sight."""
        return [column.name for column in self.columns]

    def relation(self, path: Sequence[str]) -> Relation | None:
        """The item that a qualifier such as ``t`` or ``db.t`` names."""
        wanted = tuple(path)
        for relation in self.relations:
            if relation.path[-len(wanted) :] == wanted:
                return relation
        return None

    def resolve(self, node: exp.Expr, parts: Sequence[str]) -> tuple[Column, tuple[str, ...]]:
        """The column that a dotted name means, and the fields of a ROW that follow.

        A qualifier goes before a column of the same name, unless it has no such column.

        Raises:
            UserError: UNKNOWN_COLUMN, UNKNOWN_TABLE or AMBIGUOUS_COLUMN.
        """
        try:
            return self._resolve(node, parts)
        except UserError as error:
            if self.outer is None or error.code == "AMBIGUOUS_COLUMN":
                raise
            try:
                return self.outer.resolve(node, parts)
            except UserError as other:
                raise (other if other.code == "AMBIGUOUS_COLUMN" else error) from None

    def _resolve(self, node: exp.Expr, parts: Sequence[str]) -> tuple[Column, tuple[str, ...]]:
        for length in range(len(parts) - 1, 0, -1):
            relation = self.relation(parts[:length])
            if relation is not None and not self._is_field(relation, parts[0], parts[length]):
                column = self._one(node, parts[length], relation.columns, [relation])
                return column, tuple(parts[length + 1 :])
        if len(parts) > 1 and parts[0] not in self.names():
            raise self._unknown_qualifier(node, parts)
        return self._one(node, parts[0], self.columns, self.relations), tuple(parts[1:])

    def _is_field(self, relation: Relation, first: str, name: str) -> bool:
        """Whether ``r.a`` is a field of column ``r`` rather than a column of table ``r``."""
        return first in self.names() and all(column.name != name for column in relation.columns)

    def _one(
        self,
        node: exp.Expr,
        name: str,
        columns: Sequence[Visible],
        among: Sequence[Relation],
    ) -> Column:
        found = [c.column for c in columns if c.name == name]
        if len(found) > 1:
            having = (r for r in among if r.name and any(c.name == name for c in r.columns))
            tables = " or ".join(f"'{relation.name}.{name}'" for relation in having)
            raise UserError(
                "AMBIGUOUS_COLUMN",
                f"column '{name}' is ambiguous",
                hint=f"Write {tables}." if tables else "Name the table before it.",
                position=position(node),
            )
        if not found:
            raise self._unknown_column(node, name, among)
        return found[0]

    def _unknown_column(self, node: exp.Expr, name: str, among: Sequence[Relation]) -> UserError:
        known = [column.name for relation in among for column in relation.columns]
        where = f" in '{among[0].name}'" if len(among) == 1 and among[0].name else ""
        return UserError(
            "UNKNOWN_COLUMN",
            f"there is no column '{name}'{where}",
            hint=nearest(name, known) or "There is no FROM, so no column can be named.",
            position=position(node),
        )

    def _unknown_qualifier(self, node: exp.Expr, parts: Sequence[str]) -> UserError:
        known = [relation.name for relation in self.relations if relation.name]
        return UserError(
            "UNKNOWN_TABLE",
            f"there is no table '{parts[0]}' in this FROM, nor a column of that name",
            hint=nearest(parts[0], known) or nearest(parts[0], self.names()),
            position=position(node),
        )


@dataclass(frozen=True, slots=True)
class From:
    """What FROM reads so far: its plan, and what can be named."""

    node: Logical
    scope: Scope
