"""``print``: a sink that writes each change as a line, as Flink's does."""

from __future__ import annotations

import sys

import polars as pl

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.schema import Schema
from sameriver.common.types import APPROXIMATE, BINARIES, DOUBLE, TIMESTAMPS, DataType, Root
from sameriver.connectors.connector import Connector, ConnectorOption, TableContext
from sameriver.connectors.options import boolean
from sameriver.functions.render import text

_SECONDS = r"^(.*T?\d\d:\d\d):00$"


class PrintSink:
    """Lines such as ``+I[1, a]`` on standard output."""

    def __init__(self, context: TableContext) -> None:
        self._schema = context.schema
        identifier = context.options.get("print-identifier", "")
        self._prefix = f"{identifier}> " if identifier else ""
        self._error = boolean(context.options, "standard-error")
        cells = [_shown(pl.col(f.name), f.type, context).fill_null("null") for f in context.schema]
        self._cells = pl.concat_str(cells, separator=", ")

    def write(self, changes: Changes) -> None:
        if not len(changes):
            return
        rows = named(changes.rows, self._schema)
        symbols = changes.kinds_or_inserts().replace_strict(
            list(range(len(SYMBOLS))), list(SYMBOLS), return_dtype=pl.String
        )
        line = pl.format("{}{}[{}]", pl.lit(self._prefix), pl.col("$kind"), self._cells)
        lines = rows.with_columns(symbols.alias("$kind")).select(line)
        out = sys.stderr if self._error else sys.stdout
        out.write("\n".join(lines.to_series().to_list()) + "\n")

    def flush(self) -> None:
        (sys.stderr if self._error else sys.stdout).flush()

    def close(self) -> None:
        self.flush()

    def abort(self) -> None:
        self.flush()


def named(rows: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The rows under the names of the table: queries give columns by position."""
    if rows.columns == list(schema.names):
        return rows
    return rows.rename(dict(zip(rows.columns, schema.names, strict=True)))


def _shown(value: pl.Expr, type: DataType, context: TableContext) -> pl.Expr:
    """A value as the toString of its Java class."""
    match type.root:
        case Root.BOOLEAN:
            return value.cast(pl.String)
        case root if root in APPROXIMATE:
            return text(value, DOUBLE, context.zone)
        case root if root in BINARIES:
            numbers = value.cast(pl.List(pl.UInt8)).list.eval(
                pl.element().cast(pl.Int16) - pl.when(pl.element() > 127).then(256).otherwise(0)
            )
            return pl.format("[{}]", numbers.cast(pl.List(pl.String)).list.join(", "))
        case Root.TIME:
            return _trimmed(value.dt.strftime("%H:%M:%S%.9f"))
        case root if root in TIMESTAMPS:
            plain = value.dt.replace_time_zone(None).dt.strftime("%Y-%m-%dT%H:%M:%S%.9f")
            if type.root is Root.TIMESTAMP_LTZ:
                # An Instant keeps its seconds, a LocalDateTime drops them if zero.
                return _grouped(plain) + "Z"
            return _trimmed(plain)
        case Root.ROW | Root.STRUCTURED:
            pairs = zip(type.names, type.children, strict=True)
            parts = [
                _shown(value.struct.field(name), child, context).fill_null("null")
                for name, child in pairs
            ]
            shown = pl.format("+I[{}]", pl.concat_str(parts, separator=", "))
            return pl.when(value.is_not_null()).then(shown)
        case Root.ARRAY:
            item = _shown(pl.element(), type.children[0], context).fill_null("null")
            return pl.format("[{}]", value.list.eval(item).list.join(", "))
        case Root.MAP:
            return _map(value, type, context)
    return text(value, type, context.zone)


def _map(value: pl.Expr, type: DataType, context: TableContext) -> pl.Expr:
    key, content = type.children
    entry = pl.format(
        "{}={}",
        _shown(pl.element().struct.field("key"), key, context).fill_null("null"),
        _shown(pl.element().struct.field("value"), content, context).fill_null("null"),
    )
    return pl.format("{{{}}}", value.list.eval(entry).list.join(", "))


def _grouped(shown: pl.Expr) -> pl.Expr:
    """Java writes 0, 3, 6 or 9 digits of a second."""
    for _ in range(2):
        shown = shown.str.replace(r"(\.\d*)000$", "${1}")
    return shown.str.replace(r"\.(000)?$", "")


def _trimmed(shown: pl.Expr) -> pl.Expr:
    return _grouped(shown).str.replace(_SECONDS, "${1}")


PRINT = Connector(
    name="print",
    options=(
        ConnectorOption("print-identifier", "text in front of each line"),
        ConnectorOption("standard-error", "writes to standard error", "false"),
    ),
    sink=PrintSink,
    check=lambda options, schema: boolean(options, "standard-error"),
)
