"""Which columns of tables a meaning names, and of which types they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sameriver.common.dataclass import dataclass
from sameriver.compat.items import type_text
from sameriver.plan.physical.lookup_join import LookupJoin
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan


@dataclass(frozen=True, slots=True)
class ColumnTypes:
    """Types of the columns that a plan reads, by the name they have in meanings."""

    types: Mapping[str, str]
    names: re.Pattern[str]

    @classmethod
    def of(cls, nodes: Iterable[PhysicalNode]) -> ColumnTypes:
        """Those of all scans and lookups among the nodes."""
        types: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, Scan):
                meanings = node.meanings()
                # As declared: which fields of a ROW are read depends on the whole job.
                declared = {f.name: type_text(f.type) for f in node.table.physical}
                types |= {meanings[name]: declared[name] for name in node.schema.names}
            if isinstance(node, LookupJoin):
                columns = node.looked_up
                types |= {f"{node.table.name}.{f.name}": type_text(f.type) for f in columns}
        longest = sorted(types, key=len, reverse=True)
        return cls(types, re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest))})(?!\w)"))

    def read(self, text: str) -> tuple[str, ...]:
        """``t.a INT`` of each column that a meaning names, sorted."""
        if not self.types:
            return ()
        return tuple(sorted({f"{name} {self.types[name]}" for name in self.names.findall(text)}))
