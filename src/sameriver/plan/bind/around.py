"""The query around: what the queries within it are joined with, and how they are taken apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from sameriver.common.dataclass import dataclass
from sameriver.common.types import BOOLEAN, DataType, to_polars
from sameriver.plan import logical
from sameriver.plan.bind.calls import call
from sameriver.plan.bind.dependent import TRUE, Dependent, Keyed, padded
from sameriver.plan.bind.joins import joined_to
from sameriver.plan.bind.outer import outer_columns
from sameriver.plan.determinism import deterministic
from sameriver.plan.expressions import (
    Call,
    Column,
    Expression,
    Named,
    columns,
    substitute,
    transform,
)
from sameriver.plan.logical import JoinKind, Logical
from sameriver.plan.rules.tree import conjunction, filtered, pass_through

NOTHING: Mapping[str, Column] = {}
_KEY = "$key"
_MARKS = "$outer:"
_PLANNED = "$plan:"
"""Before the name of an outer column that is one of the plan already."""


@dataclass(kw_only=True, eq=False)
class Around:
    """A query with queries within its expressions.

    Attributes:
        outer: its plan.
        before: the prefix of its columns in plans of queries within it.
        at: the column of ``outer`` that an outer column means.
    """

    outer: Logical
    before: str
    at: Callable[[Column], Column] = lambda column: column
    _count: int = field(default=0)

    def raised(self, expression: Expression) -> Expression:
        """An expression in which columns of the plan become outer ones."""

        def moved(part: Expression) -> Expression | None:
            if isinstance(part, Column) and part.name in self.outer.schema:
                return replace(part, name=f"{self.before}{_PLANNED}{part.name}")
            return None

        return transform(expression, moved)

    def inside(self, expression: Expression) -> Expression:
        """Outer columns as the columns of the query around that they are."""

        def own(part: Expression) -> Expression | None:
            found = isinstance(part, Column) and part.name.startswith(self.before)
            return self._own(part) if found and isinstance(part, Column) else None

        return transform(expression, own)

    def apart(self, found: Dependent, taken: Sequence[str]) -> Dependent:
        """With column names in the node that are not taken."""
        names = {f.name: self.fresh() for f in found.node.schema if f.name in taken}
        if not names:
            return found
        schema = found.node.schema
        by = {old: Column(new, schema[old]) for old, new in names.items()}
        renamed = tuple(Named(names.get(f.name, f.name), Column(f.name, f.type)) for f in schema)
        return Dependent(
            logical.Project(input=found.node, columns=renamed),
            tuple(substitute(test, dict(by)) for test in found.tests),
            tuple(Named(o.name, substitute(o.expression, dict(by))) for o in found.outputs),
            found.default,
        )

    def marked(self, found: Dependent) -> tuple[Dependent, Column]:
        """With a column that is TRUE, and NULL where an outer join finds no row."""
        mark = Named(self.fresh(), TRUE)
        node = logical.Project(input=found.node, columns=(*pass_through(found.node.schema), mark))
        return replace(found, node=node), Column(mark.name, BOOLEAN)

    def tested(
        self,
        found: Dependent,
        tests: Sequence[Expression],
        outputs: tuple[Named, ...] | None = None,
    ) -> Dependent:
        """The rows that also pass ``tests`` over the query's columns and outer ones."""
        over = [substitute(test, found.by_name) for test in tests]
        own = [test for test in over if not self.read([test])]
        outer = tuple(test for test in over if self.read([test]))
        node = filtered(found.node, own)
        return replace(
            found,
            node=node,
            tests=(*found.tests, *outer),
            outputs=found.outputs if outputs is None else outputs,
        )

    def over(self, outer: Logical) -> Around:
        """For further queries, once the query around has become another plan."""
        return replace(self, outer=outer)

    def keyed(self, found: Dependent, needs: Mapping[str, Column] = NOTHING) -> Keyed:
        """With a key for each test, and a column for each outer column of ``needs``."""
        pairs, rest = [], list[Expression]()
        for test in found.tests:
            pair = self._pair(test)
            pairs += [] if pair is None else [pair]
            rest += [test] if pair is None else []
        keys = [Named(self.fresh(), pair.inner) for pair in pairs]
        tests = [
            call(pair.function, [pair.outer, Column(key.name, pair.inner.type)])
            for pair, key in zip(pairs, keys, strict=True)
        ]
        known: dict[str, Expression] = {}
        for pair in pairs:
            if isinstance(pair.outer, Column) and _alike(pair.outer.type, pair.inner.type):
                known.setdefault(pair.outer.name, pair.inner)
        read = [*rest, *(o.expression for o in found.outputs)]
        wanted = {n: c for n, c in {**self.read(read), **needs}.items() if n not in known}
        node = found.node
        if wanted:
            domain, values = self._domain(wanted)
            known |= values
            joined = [substitute(part, known) for part in rest]
            node = joined_to(node, domain, JoinKind.INNER, conjunction(joined) if joined else None)
            for name, column in values.items():
                keys.append(Named(self.fresh(), column))
                tests.append(same(wanted[name], Column(keys[-1].name, column.type)))
        else:
            node = filtered(node, [substitute(part, known) for part in rest])
        outputs = [Named(o.name, substitute(o.expression, known)) for o in found.outputs]
        node = logical.Project(input=node, columns=(*outputs, *keys))
        names = {key.expression: Column(key.name, key.expression.type) for key in keys}
        there = {name: names[column] for name, column in known.items()}
        return Keyed(node, tuple(key.name for key in keys), tuple(tests), dict(there))

    def plain(self, found: Dependent) -> Dependent:
        """With the default row among the rows."""
        if found.default is None:
            return found
        marked, mark = self.marked(self.keyed(found).dependent(found.schema))
        wanted = self.read([*marked.tests, *found.default.values()])
        domain, values = self._domain(wanted)
        by: dict[str, Expression] = dict(values)
        tests = [substitute(test, by) for test in marked.tests]
        node = joined_to(domain, marked.node, JoinKind.LEFT, conjunction(tests) if tests else None)
        return Dependent(
            node,
            tuple(same(wanted[name], column) for name, column in values.items()),
            tuple(
                Named(o.name, padded(mark, o.expression, substitute(found.default[o.name], by)))
                for o in marked.outputs
            ),
        )

    def _domain(self, wanted: Mapping[str, Column]) -> tuple[Logical, dict[str, Column]]:
        """The distinct values of outer columns, and the column of each."""
        named = []
        for column in wanted.values():
            own = self._own(column)
            named.append(Named(self.fresh(), replace(own, type=own.type.plain)))
        rows = logical.Project(input=self.outer, columns=tuple(named))
        domain = logical.Aggregate(input=rows, keys=rows.schema.names, calls=(), schema=rows.schema)
        columns = (Column(f.name, f.type) for f in rows.schema)
        return domain, dict(zip(wanted, columns, strict=True))

    def _pair(self, test: Expression) -> _Pair | None:
        if not isinstance(test, Call) or test.function not in ("=", "IS NOT DISTINCT FROM"):
            return None
        one, other = test.args
        for outer, inner in ((one, other), (other, one)):
            outside = columns(outer)
            if (
                outside
                and outside == self.read([outer]).keys()
                and columns(inner)
                and not self.read([inner])
                and to_polars(outer.type) == to_polars(inner.type)
                and deterministic(test)
            ):
                return _Pair(outer, inner, test.function)
        return None

    def read(self, expressions: Iterable[Expression]) -> dict[str, Column]:
        return outer_columns(expressions, self.before)

    def _own(self, column: Column) -> Column:
        own = replace(column, name=column.name.removeprefix(self.before))
        if own.name.startswith(_PLANNED):
            return replace(own, name=own.name.removeprefix(_PLANNED))
        return self.at(own)

    def fresh(self) -> str:
        """A name that no column has."""
        self._count += 1
        return f"{_KEY}{self.before.strip(_MARKS)}_{self._count}"


@dataclass(frozen=True, slots=True)
class _Pair:
    """A test that says of an expression over outer columns what one over inner ones is."""

    outer: Expression
    inner: Expression
    function: str


def same(outer: Column, inner: Column) -> Expression:
    return call("IS NOT DISTINCT FROM", [outer, inner])


def _alike(one: DataType, other: DataType) -> bool:
    return one.plain.with_nullable(True) == other.plain.with_nullable(True)
