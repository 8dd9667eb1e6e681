"""A table as the catalog knows it: resolved columns, watermark, key, options."""

from __future__ import annotations

from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema
from sameriver.plan.expressions import Expression, Named


@dataclass(frozen=True, slots=True)
class MetadataColumn:
    """``name TYPE METADATA [FROM 'key'] [VIRTUAL]``."""

    name: str
    key: str
    virtual: bool = False


@dataclass(frozen=True, slots=True)
class WatermarkSpec:
    """``WATERMARK FOR column AS expression``; expression None: SOURCE_WATERMARK()."""

    column: str
    expression: Expression | None
    said: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table declared by DDL or registered in process.

    Attributes:
        name: simple name, or dotted if not of the default catalog and database.
        schema: all columns in declared order, time attributes marked in their types.
        physical: the columns the connector delivers or takes, metadata columns included.
        computed: computed columns over the physical ones, in order (PROCTIME() among them).
        metadata: which of the physical columns are metadata.
        watermark: or None.
        primary_key: column names, empty if none.
        partitioned_by: column names.
        options: WITH options, ``connector`` among them.
        comment: as declared.
        comments: of columns that have one: name and text.
        said: of computed columns: name and the text of the expression.
    """

    name: str
    schema: Schema
    physical: tuple[Field, ...]
    computed: tuple[Named, ...] = ()
    metadata: tuple[MetadataColumn, ...] = ()
    watermark: WatermarkSpec | None = None
    primary_key: tuple[str, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict, hash=False)
    comment: str = ""
    comments: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    said: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def written(self) -> tuple[Field, ...]:
        """The columns a sink takes: those of the table's own, and metadata that is not VIRTUAL."""
        virtual = {column.name for column in self.metadata if column.virtual}
        return tuple(field for field in self.physical if field.name not in virtual)

    @property
    def connector(self) -> str:
        return self.options.get("connector", "")
