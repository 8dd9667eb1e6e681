"""Regular joins: every row of one side meets every row of the other that ever came."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.changes import ChangeKind
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema, unique
from sameriver.common.state import Meaning, Role, RowScope, StateColumn, StateTable
from sameriver.common.time import ttl_text
from sameriver.common.types import BIGINT, timestamp_ltz
from sameriver.plan.expressions import Expression, to_sql
from sameriver.plan.logical import JoinKind
from sameriver.plan.meaning import Meanings, meaning
from sameriver.plan.physical.node import ChangelogMode, PhysicalNode
from sameriver.plan.physical.sides import side_meanings

LEFT, RIGHT = "left", "right"
"""Names of the state tables."""

MATCHES = "matches"
"""Column that counts the rows of the other side that a row meets, where padding hangs on it."""

LAST_ACCESS = "last_access"
"""Column that tells when a row was last written, where there is a TTL."""

_FILTERS = (JoinKind.SEMI, JoinKind.ANTI)


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(PhysicalNode):
    """Schema: left columns, then right ones; SEMI and ANTI: left only. Names are disjoint.

    Attributes:
        left_keys, right_keys: columns that must be equal, in pairs of one Polars type.
        null_safe: of each pair, whether NULL meets NULL.
        condition: what else must hold, over the columns of both sides.
        null_aware: the only pair is that of NOT IN: NULL meets every row of the other side.
        upsert_keys: columns that tell the rows of each side apart; empty: none are known, rows
            are a multiset.
        ttl: how long an untouched row of each side lives; None: ever.
    """

    left: PhysicalNode
    right: PhysicalNode
    kind: JoinKind
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    null_safe: tuple[bool, ...]
    condition: Expression | None = None
    null_aware: bool = False
    upsert_keys: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    ttl: tuple[timedelta | None, timedelta | None] = (None, None)

    @property
    def inputs(self) -> tuple[PhysicalNode, ...]:
        return (self.left, self.right)

    @property
    def outer(self) -> tuple[bool, bool]:
        """Whether rows of each side come padded where they meet none."""
        kind = self.kind
        return kind in (JoinKind.LEFT, JoinKind.FULL), kind in (JoinKind.RIGHT, JoinKind.FULL)

    @property
    def counted(self) -> tuple[bool, bool]:
        """Whether the matches of the stored rows of each side are counted."""
        left, right = self.outer
        return left or self.kind in _FILTERS, right

    @property
    def changelog(self) -> ChangelogMode:
        both = self.left.changelog | self.right.changelog
        added, removed = ChangeKind.INSERT, ChangeKind.DELETE
        match self.kind:
            case JoinKind.INNER | JoinKind.SEMI:
                return both
            case JoinKind.ANTI:
                return self.left.changelog | {added, removed}
            case JoinKind.FULL:
                return frozenset({added, removed})
            case JoinKind.LEFT:
                inner = self.right.changelog
            case JoinKind.RIGHT:
                inner = self.left.changelog
        return frozenset({added, removed}) | (inner & {ChangeKind.UPDATE_BEFORE})

    @property
    def distribution(self) -> tuple[tuple[str, ...], ...] | None:
        return ((), ()) if self.null_aware else (self.left_keys, self.right_keys)

    def meanings(self) -> Meanings:
        below = side_meanings(self.left, self.right)
        return {name: below[name] for name in self.schema.names}

    def scope(self) -> RowScope:
        left, right = self.left.scope(), self.right.scope()
        return RowScope(
            sources=tuple(sorted((*left.sources, *right.sources))),
            filters=tuple(sorted((*left.filters, *right.filters))),
            path=(*left.path, *right.path, self._text()),
        )

    def state(self) -> tuple[StateTable, ...]:
        return (
            self._table(LEFT, self.left, self.left_keys, 0),
            self._table(RIGHT, self.right, self.right_keys, 1),
        )

    def details(self) -> tuple[tuple[str, str], ...]:
        signs = ("IS NOT DISTINCT FROM" if safe else "=" for safe in self.null_safe)
        pairs = zip(self.left_keys, signs, self.right_keys, strict=True)
        tests = [f"{left} {sign} {right}" for left, sign, right in pairs]
        if self.condition is not None:
            tests.append(to_sql(self.condition))
        shown = [("kind", self.kind.value), ("on", " AND ".join(tests) or "TRUE")]
        if self.null_aware:
            shown.append(("null", "meets all"))
        upserts = zip((LEFT, RIGHT), self.upsert_keys, strict=True)
        shown += [(f"{side} upsert key", ", ".join(key)) for side, key in upserts if key]
        sides = zip((LEFT, RIGHT), self.ttl, strict=True)
        shown += [(f"{side} ttl", ttl_text(ttl)) for side, ttl in sides if ttl]
        return tuple(shown)

    def _text(self) -> str:
        """Kind and condition; the order of what AND joins makes no difference."""
        below = side_meanings(self.left, self.right)
        pairs = zip(self.left_keys, self.right_keys, self.null_safe, strict=True)
        tests = [
            f"{below[left]} {'<=>' if safe else '='} {below[right]}" for left, right, safe in pairs
        ]
        if self.condition is not None:
            tests.append(meaning(self.condition, below))
        kind = f"{self.kind.value}{' NULL-AWARE' * self.null_aware}"
        return f"{kind} JOIN ON {' AND '.join(sorted(tests)) or 'TRUE'}"

    def _table(
        self, name: str, input: PhysicalNode, keys: tuple[str, ...], side: int
    ) -> StateTable:
        below, scope = input.meanings(), input.scope()
        keys = tuple(dict.fromkeys((*keys, *self.upsert_keys[side])))
        key = _columns(input.schema.select(keys), below, Role.KEY)
        rest = [f.name for f in input.schema if f.name not in keys]
        values = list(_columns(input.schema.select(rest), below, Role.ROW))
        extra = [(MATCHES, BIGINT.not_null)] if self.counted[side] else []
        if self.ttl[side]:
            extra.append((LAST_ACCESS, timestamp_ltz(3).not_null))
        for column, type in extra:
            taken = [c.name for c in (*key, *values)]
            values.append(
                StateColumn(
                    name=unique(column, taken),
                    type=type,
                    meaning=Meaning(column),
                    role=Role.INDEPENDENT,
                )
            )
        return StateTable(
            name=name,
            key=key,
            values=tuple(values),
            scope=scope.through(self._text()),
            ttl=self.ttl[side],
        )


def _columns(schema: Schema, below: Meanings, role: Role) -> tuple[StateColumn, ...]:
    return tuple(
        StateColumn(name=f.name, type=f.type.plain, meaning=below[f.name], role=role)
        for f in schema
    )
