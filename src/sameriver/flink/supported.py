"""What scripts may hold that Flink does not run, told before anything runs."""

from __future__ import annotations

from sameriver.common.errors import UserError
from sameriver.sql.statements import CreateFunction, CreateTable, Explain, Statement

_CONNECTORS = {
    "frame": "Write the rows to files, and read them with 'connector' = 'filesystem'.",
    "case": "Run cases with 'sameriver test'; on Flink a table needs a connector of Flink's.",
}
"""Connectors of this engine alone."""
_PATTERN = "*?["
_FILES = "filesystem"


def check_supported(statement: Statement) -> None:
    """Refuses what this engine has and Flink lacks.

    Raises:
        UserError: NOT_ON_FLINK, with the place in the script.
    """
    match statement:
        case CreateTable():
            _check_table(statement)
        case CreateFunction(name=name, position=position):
            raise UserError(
                "NOT_ON_FLINK",
                f"function '{name}' is Python of this engine, which Flink can't call",
                hint="Say it in SQL, or leave it to a view that only the embedded engine uses.",
                position=position,
            )
        case Explain(statement=inner):
            check_supported(inner)
        case _:
            pass


def _check_table(create: CreateTable) -> None:
    options = dict(create.options)
    connector = options.get("connector", "")
    if connector in _CONNECTORS:
        raise UserError(
            "NOT_ON_FLINK",
            f"connector '{connector}' of table '{create.name}' is not one of Flink's",
            hint=_CONNECTORS[connector],
            position=create.position,
        )
    path = options.get("path", "")
    if connector == _FILES and any(sign in path for sign in _PATTERN):
        raise UserError(
            "NOT_ON_FLINK",
            f"Flink reads no pattern such as the path '{path}' of table '{create.name}'",
            hint="Name the folder, and choose files with 'source.path.regex-pattern'.",
            position=create.position,
        )
