"""The formats there are."""

from __future__ import annotations

from sameriver.common.errors import UserError, nearest, place_of
from sameriver.connectors.formats.csv import CSV
from sameriver.connectors.formats.debezium_json import DEBEZIUM_JSON
from sameriver.connectors.formats.format import Format
from sameriver.connectors.formats.json import JSON
from sameriver.connectors.formats.parquet import PARQUET
from sameriver.connectors.formats.raw import RAW

FORMATS: dict[str, Format] = {f.name: f for f in (CSV, JSON, DEBEZIUM_JSON, PARQUET, RAW)}


def format_of(name: str) -> Format:
    """The format of that name.

    Raises:
        UserError: UNKNOWN_FORMAT.
    """
    if name not in FORMATS:
        raise UserError(
            "UNKNOWN_FORMAT",
            f"there is no format '{name}'",
            hint=f"{nearest(name, FORMATS)} Formats: {', '.join(FORMATS)}.",
            position=place_of(name),
        )
    return FORMATS[name]
