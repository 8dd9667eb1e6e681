"""``case``: a table whose rows stand in a test case; ``sameriver test`` feeds it."""

from __future__ import annotations

from collections.abc import Mapping

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError
from sameriver.connectors.connector import Connector, ConnectorOption, Source, TableContext


def _source(context: TableContext) -> Source:
    raise UserError(
        "CASE_ONLY",
        f"table '{context.name}' has connector 'case', whose rows stand in a test case",
        hint="Run it with 'sameriver test', or give the table a connector that reads something.",
    )


def _changelog(options: Mapping[str, str]) -> frozenset[ChangeKind]:
    if options.get("updates") == "true":
        return frozenset(ChangeKind)
    return frozenset({ChangeKind.INSERT})


CASE = Connector(
    name="case",
    options=(ConnectorOption("updates", "whether rows are taken back", "false"),),
    source=_source,
    changelog=_changelog,
)
