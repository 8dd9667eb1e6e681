"""The entry of the registry."""

from __future__ import annotations

from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.schema import Schema
from sameriver.connectors.connector import Connector, ConnectorOption
from sameriver.connectors.datagen.generators import generator, option_keys
from sameriver.connectors.datagen.source import DatagenSource
from sameriver.connectors.options import Options, integer

_KEYS = ("kind", "min", "max", "max-past", "length", "var-len", "start", "end", "null-rate")


def _check(options: Options, schema: Schema) -> None:
    """Refuses options of unknown columns, and what generators find wrong."""
    integer(options, "rows-per-second", None, 1)
    integer(options, "number-of-rows", None)
    known = [
        f"{prefix}.{key}"
        for field in schema
        for prefix in option_keys(field, f"fields.{field.name}")
        for key in _KEYS
    ]
    for key in options:
        if key.startswith("fields.") and len(schema) and key not in known:
            raise UserError(
                "UNKNOWN_OPTION",
                f"connector 'datagen' has no option '{key}' for the columns of this table",
                hint=nearest(key, known),
                position=place_of(key),
            )
    for field in schema:
        generator(field, options, f"fields.{field.name}")


DATAGEN = Connector(
    name="datagen",
    options=(
        ConnectorOption("rows-per-second", "pace", "10000"),
        ConnectorOption("number-of-rows", "makes the table bounded"),
        ConnectorOption("fields.*", "kind, min, max, ... of a column"),
    ),
    source=DatagenSource,
    check=_check,
)
