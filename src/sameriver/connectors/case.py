"""``case``: a table whose rows stand in a test case; ``sameriver test`` feeds and reads it."""

from __future__ import annotations

from typing import NoReturn

from sameriver.common.errors import UserError
from sameriver.connectors.changelog_mode import CHANGELOG_MODE, accepted, delivered
from sameriver.connectors.connector import Connector, TableContext


def _refuse(context: TableContext) -> NoReturn:
    raise UserError(
        "CASE_ONLY",
        f"table '{context.name}' has connector 'case', whose rows stand in a test case",
        hint="Run it with 'sameriver test', or give the table a connector of another kind.",
    )


CASE = Connector(
    name="case",
    options=(CHANGELOG_MODE,),
    source=_refuse,
    sink=_refuse,
    changelog=delivered,
    accepts=accepted,
    check=lambda options, schema: delivered(options),
)
