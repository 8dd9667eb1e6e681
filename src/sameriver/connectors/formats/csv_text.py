"""Options of the ``csv`` format, and writing it as Flink does."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.types import BINARIES, CHARACTERS, TIMESTAMPS, DataType, Root
from sameriver.connectors.formats.encode import scalar
from sameriver.connectors.formats.format import Options
from sameriver.connectors.formats.text_writer import LineFile
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


_LONG = 24
"""Longer text is quoted unseen, as Jackson does it."""


def csv_cell(value: pl.Expr, type: DataType, rules: CsvRules) -> pl.Expr:
    """A cell of a line."""
    shown = _text(value, type, rules)
    texts = (*CHARACTERS, *BINARIES, *TIMESTAMPS, Root.DATE, Root.TIME, Root.ARRAY, Root.ROW)
    if type.root in texts:
        # Times have a space, which calls for the usual quotes, and no such quote.
        quoted = type.root in TIMESTAMPS and rules.quote == '"'
        shown = _guarded(shown, rules, quoted=quoted)
    return shown.fill_null(rules.null or "")


def _guarded(shown: pl.Expr, rules: CsvRules, *, quoted: bool) -> pl.Expr:
    """Quoted where Jackson quotes: long text, and text with a character up to the separator.

    Args:
        shown: the text.
        rules: which characters stand for what.
        quoted: it is known that all texts need quotes, and have none in them.
    """
    if rules.escape is not None:
        shown = shown.str.replace_all(rules.escape, rules.escape * 2, literal=True)
    if rules.quote is None:
        return shown
    if quoted:
        return pl.lit(rules.quote) + shown + pl.lit(rules.quote)
    inner = shown.str.replace_all(rules.quote, rules.quote * 2, literal=True)
    unsafe = max(map(ord, (rules.separator, rules.quote, "\r", "\n", rules.escape or "\n")))
    special = shown.str.contains(rf"[\x00-\x{{{unsafe:02x}}}]")
    whole = pl.lit(rules.quote) + inner + pl.lit(rules.quote)
    return pl.when(special | (shown.str.len_chars() > _LONG)).then(whole).otherwise(shown)


def _text(value: pl.Expr, type: DataType, rules: CsvRules) -> pl.Expr:
    if type.root is Root.ARRAY:
        item = _text(pl.element(), type.children[0], rules).fill_null(rules.null or "")
        return value.list.eval(item).list.join(rules.element)
    if type.root is Root.ROW:
        pairs = zip(type.names, type.children, strict=True)
        parts = [
            _text(value.struct.field(name), child, rules).fill_null(rules.null or "")
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


class CsvWriter:
    """Writes one file."""

    def __init__(self, path: Path, schema: Schema, rules: CsvRules) -> None:
        check_columns(schema)
        cells = [csv_cell(pl.col(field.name), field.type, rules) for field in schema]
        self._line = pl.concat_str(cells, separator=rules.separator)
        self._file = LineFile(path)

    def write(self, changes: Changes) -> None:
        self._file.write(changes.rows.select(self._line.alias("line")).to_series())

    @property
    def size(self) -> int:
        return self._file.size

    def close(self) -> None:
        """Each write is whole."""
