"""The columns of a table of events."""

from __future__ import annotations

from dataclasses import replace

from sameriver.common.errors import UserError, nearest
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, INT, STRING, DataType, row, timestamp

_TIME = timestamp(3)
COLUMNS = Schema.of(
    {
        "event_type": INT,
        "person": row(
            {
                "id": BIGINT,
                "name": STRING,
                "emailAddress": STRING,
                "creditCard": STRING,
                "city": STRING,
                "state": STRING,
                "dateTime": _TIME,
                "extra": STRING,
            }.items()
        ),
        "auction": row(
            {
                "id": BIGINT,
                "itemName": STRING,
                "description": STRING,
                "initialBid": BIGINT,
                "reserve": BIGINT,
                "dateTime": _TIME,
                "expires": _TIME,
                "seller": BIGINT,
                "category": BIGINT,
                "extra": STRING,
            }.items()
        ),
        "bid": row(
            {
                "auction": BIGINT,
                "bidder": BIGINT,
                "price": BIGINT,
                "channel": STRING,
                "url": STRING,
                "dateTime": _TIME,
                "extra": STRING,
            }.items()
        ),
    }.items()
)
KINDS = COLUMNS.names[1:]
"""Kinds of events, as ``event_type`` numbers them."""


def check_columns(schema: Schema) -> None:
    """Refuses columns that events don't have; a table may leave some of them out.

    Raises:
        UserError: UNKNOWN_COLUMN, TYPE_MISMATCH.
    """
    for field in schema:
        if field.name not in COLUMNS:
            raise UserError(
                "UNKNOWN_COLUMN",
                f"connector 'nexmark' has no column '{field.name}'",
                hint=nearest(field.name, COLUMNS.names),
            )
        _check_type(field, COLUMNS[field.name])


def _check_type(field: Field, known: DataType) -> None:
    fields = dict(zip(known.names, known.children, strict=True))
    given = zip(field.type.names, field.type.children, strict=False)
    same = field.type.root is known.root and all(
        fields.get(name) == replace(type, nullable=True) for name, type in given
    )
    if not same or (fields and not field.type.nullable):
        raise UserError(
            "TYPE_MISMATCH",
            f"column '{field.name}' of connector 'nexmark' is a {field.type.name}",
            hint=f"Declare it as {known.name}, or with some of these fields.",
        )
