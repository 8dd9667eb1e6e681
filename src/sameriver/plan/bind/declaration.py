"""What CREATE TABLE declares, as written or taken over from another table."""

from __future__ import annotations

from dataclasses import field

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.types import DataType
from sameriver.plan.expressions import Expression
from sameriver.plan.table import Table
from sameriver.sql.statements import CreateTable


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredColumn:
    """A column: of its own (``type``), computed (``expression``), or metadata (both key and type).

    ``expression`` is a tree as written, or bound already; ``said`` is its text.
    """

    name: str
    type: DataType | None = None
    expression: exp.Expr | Expression | None = None
    said: str = ""
    metadata: str | None = None
    virtual: bool = False
    comment: str = ""
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredWatermark:
    """``expression`` None: SOURCE_WATERMARK()."""

    column: str
    expression: exp.Expr | Expression | None
    said: str = ""
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    columns: tuple[DeclaredColumn, ...] = ()
    watermark: DeclaredWatermark | None = None
    primary_key: tuple[str, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)


def as_written(create: CreateTable) -> Declaration:
    """The declaration of a statement, LIKE left out."""
    keys = tuple(column.name for column in create.columns if column.primary_key)
    mark = create.watermark
    return Declaration(
        columns=tuple(
            DeclaredColumn(
                name=column.name,
                type=column.type,
                expression=column.expression,
                said=column.said,
                metadata=column.metadata,
                virtual=column.virtual,
                comment=column.comment,
                position=column.position,
            )
            for column in create.columns
        ),
        watermark=None
        if mark is None
        else DeclaredWatermark(
            column=mark.column,
            expression=mark.expression,
            said=mark.said,
            position=mark.position,
        ),
        primary_key=create.primary_key or keys,
        partitioned_by=create.partitioned_by,
        options=dict(create.options),
    )


def of_table(table: Table) -> Declaration:
    """The declaration that makes a table as it is."""
    physical = {field.name: field.type for field in table.physical}
    computed = {column.name: column.expression for column in table.computed}
    metadata = {column.name: column for column in table.metadata}
    comments, said = dict(table.comments), dict(table.said)
    mark = table.watermark
    return Declaration(
        columns=tuple(
            DeclaredColumn(
                name=name,
                type=physical.get(name),
                expression=computed.get(name),
                said=said.get(name, ""),
                metadata=metadata[name].key if name in metadata else None,
                virtual=name in metadata and metadata[name].virtual,
                comment=comments.get(name, ""),
            )
            for name in table.schema.names
        ),
        watermark=None
        if mark is None
        else DeclaredWatermark(column=mark.column, expression=mark.expression, said=mark.said),
        primary_key=table.primary_key,
        partitioned_by=table.partitioned_by,
        options=dict(table.options),
    )
