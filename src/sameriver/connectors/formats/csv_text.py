"""Options of the ``csv`` format, and the text of its cells as Flink writes it."""

from __future__ import annotations

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.types import DataType, Root
from sameriver.connectors.formats.encode import scalar
from sameriver.connectors.formats.format import Options
from sameriver.connectors.options import boolean, character


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvRules:
    """Options of reading and writing."""

    separator: str
    quote: str | None
    escape: str | None
    comments: bool
    ignore: bool
    element: str
    null: str | None
    plain_decimals: bool


def csv_rules(options: Options) -> CsvRules:
    """The rules that the options give.

    Raises:
        UserError: BAD_OPTION.
    """
    bare = boolean(options, "csv.disable-quote-character")
    escaped = "csv.escape-character" in options
    return CsvRules(
        separator=character(options, "csv.field-delimiter", ","),
        quote=None if bare else character(options, "csv.quote-character", '"'),
        escape=character(options, "csv.escape-character", "\\") if escaped else None,
        comments=boolean(options, "csv.allow-comments"),
        ignore=boolean(options, "csv.ignore-parse-errors"),
        element=options.get("csv.array-element-delimiter", ";"),
        null=options.get("csv.null-literal"),
        plain_decimals=not boolean(options, "csv.write-bigdecimal-in-scientific-notation", True),
    )


def cell_text(value: pl.Expr, type: DataType, rules: CsvRules) -> pl.Expr:
    """The text of a cell before quotes; NULL stays NULL."""
    if type.root is Root.ARRAY:
        item = cell_text(pl.element(), type.children[0], rules).fill_null(rules.null or "")
        return value.list.eval(item).list.join(rules.element)
    if type.root is Root.ROW:
        pairs = zip(type.names, type.children, strict=True)
        parts = [
            cell_text(value.struct.field(name), child, rules).fill_null(rules.null or "")
            for name, child in pairs
        ]
        return pl.when(value.is_not_null()).then(pl.concat_str(parts, separator=rules.element))
    return scalar(value, type, False, rules.plain_decimals)


def check_columns(schema: Schema) -> None:
    """Refuses what a cell can't hold.

    Raises:
        UserError: UNSUPPORTED_TYPE.
    """
    for field in schema:
        if field.type.root in (Root.MAP, Root.MULTISET):
            raise UserError(
                "UNSUPPORTED_TYPE",
                f"column '{field.name}' is a {field.type.name}, which the csv format can't hold",
                hint="Use the json or parquet format.",
            )
