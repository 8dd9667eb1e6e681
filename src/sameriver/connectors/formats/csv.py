"""``csv``: cells by position, no header, with Flink's options and conversions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.schema import Field, Schema
from sameriver.common.types import DataType, Root
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats.cells import (
    Cells,
    Data,
    Flags,
    Index,
    Kind,
    Mask,
    bytes_of,
    count,
    line_cut,
)
from sameriver.connectors.formats.csv_text import CsvRules, check_columns, csv_rules
from sameriver.connectors.formats.csv_writer import CsvWriter
from sameriver.connectors.formats.decode import Decoded, TextRules, decode
from sameriver.connectors.formats.faults import BadRow, Faults, character
from sameriver.connectors.formats.format import Columns, Format, Options, Parsed
from sameriver.connectors.formats.kernels.csv_plain import scan_plain
from sameriver.connectors.formats.kernels.csv_scan import (
    MISQUOTED,
    TOO_FEW,
    TOO_MANY,
    mark_nulls,
    scan_rows,
    unescape_cells,
)
from sameriver.connectors.formats.nested import any_within, only
from sameriver.connectors.formats.shown import texts
from sameriver.functions.lists import lists


class _Rows(NamedTuple):
    """Where the cells of rows stand.

    Attributes:
        columns: the cells.
        bad: what is wrong with each row, or 0.
        spots: line and first byte of each.
        used: bytes they took.
        lines: line ends among these.
    """

    columns: list[Cells]
    bad: Flags
    spots: Index
    used: int
    lines: int


@dataclass(slots=True)
class CsvReader:
    """Reads rows of cells."""

    columns: Columns
    rules: CsvRules
    by_line: ClassVar[bool] = False

    def cut(self, data: Data, sure: bool) -> int:
        """A guess takes every quote for one that opens or closes a cell."""
        if sure:
            return self._scan(data, False, np.full(len(self.columns.declared), -1)).used
        data = memoryview(data)
        end, quote = line_cut(data), _code(self.rules.quote)
        odd = quote >= 0 and count(data[:end], quote) % 2 == 1
        while odd:
            before = line_cut(data[: max(end - 1, 0)])
            odd = count(data[before:end], quote) % 2 == 0
            end = before
        return end

    def parse(self, data: Data, last: bool) -> Parsed:
        found = self._scan(data, last, self._slots())
        faults = Faults(self.rules.ignore)
        kept = self._kept(data, found.bad, found.spots, faults)
        columns: list[pl.Series] = []
        for field, cells in zip(self.columns.wanted, found.columns, strict=True):
            plain = self._nulls(unescape(cells, self.rules))
            series, failed = decode(plain, field.type, TextRules(nested=self._nested))
            self._report(field, cells, failed & kept, found.spots, faults)
            columns.append(series.alias(field.name))
        counters = faults.settle()
        frame = pl.DataFrame(columns or None, height=len(kept))
        changes = Changes(frame if kept.all() else frame.filter(pl.Series(kept)))
        return Parsed(changes=changes, used=found.used, lines=found.lines, counters=counters)

    def _scan(self, data: Data, last: bool, slots: Index) -> _Rows:
        """The rows of a text; ``slots``: the place of each column in the result, or -1."""
        text = bytes_of(data)
        width, most = int(slots.max(initial=-1)) + 1, count(data, ord("\n")) + 1
        start, end = np.empty((width, most), np.int64), np.empty((width, most), np.int64)
        kind, bad = np.zeros((width, most), np.uint8), np.zeros(most, np.uint8)
        place, totals = np.empty(2 * most, np.int64), np.zeros(3, np.int64)
        rules = self.rules
        separator, quote, escape = ord(rules.separator), _code(rules.quote), _code(rules.escape)
        if escape < 0 and not rules.comments:
            scan_plain(text, separator, quote, slots, start, end, kind, place, totals)
        scan_rows(
            text, last, separator, quote, escape, rules.comments, slots, start, end, kind,
            place, bad, totals,
        )  # fmt: skip
        rows, used, lines = (int(total) for total in totals)
        columns = [
            Cells(text, start[i, :rows], end[i, :rows], kind[i, :rows]) for i in range(width)
        ]
        return _Rows(columns, bad[:rows], place[: 2 * rows].reshape(-1, 2), used, lines)

    def _slots(self) -> Index:
        """For each column of the file, its place among the wanted ones; -1: it is none."""
        places = {name: place for place, name in enumerate(self.columns.wanted.names)}
        return np.array([places.get(name, -1) for name in self.columns.declared.names], np.int64)

    def _kept(self, data: Data, bad: Flags, spots: Index, faults: Faults) -> Mask:
        """Rows that can be read; those too short can be if errors are ignored."""

        def tell(row: int) -> BadRow:
            line, at = (int(number) for number in spots[row])
            text = bytes(data[at:]).split(b"\n", 1)[0].rstrip(b"\r")
            few = bad[row] == TOO_FEW and self.rules.separator.encode() not in text
            ask = "Is 'csv.field-delimiter' the one of the file?" if few else ""
            shown = text.decode(errors="replace")
            return BadRow(line, self._what(int(bad[row])), shown, ask=ask)

        refused = (bad != 0) & ((bad != TOO_FEW) | (not self.rules.ignore))
        faults.rows(refused, tell)
        return np.asarray(~refused)

    def _what(self, code: int) -> str:
        width = len(self.columns.declared)
        return {
            TOO_FEW: f"has fewer cells than the {width} columns of the table",
            TOO_MANY: f"has more cells than the {width} columns of the table",
            MISQUOTED: "has a quoted cell that doesn't end where its quotes do",
        }[code]

    def _report(
        self, field: Field, cells: Cells, failed: Mask, spots: Index, faults: Faults
    ) -> None:
        def tell(row: int) -> BadRow:
            text = unescape(cells.take(np.array([row])), self.rules).text(0)
            what, at = f"is no {field.type.name}", character(cells, row, spots)
            return BadRow(int(spots[row, 0]), what, text, field.name, at)

        faults.fields(failed, tell)

    def _nulls(self, cells: Cells) -> Cells:
        """Cells that hold the null literal become NULL."""
        if self.rules.null is None:
            return cells
        kind = cells.kind.copy()
        literal = np.frombuffer(self.rules.null.encode(), np.uint8)
        mark_nulls(cells.data, cells.start, cells.end, kind, literal)
        return Cells(cells.data, cells.start, cells.end, kind)

    def _nested(self, cells: Cells, type: DataType, text: TextRules) -> Decoded:
        """ARRAY and ROW: elements between ``array-element-delimiter``."""
        strings, bad = cells.strings()
        parts = strings.str.split(self.rules.element)
        if type.root is Root.ARRAY:
            # An empty cell is an empty array.
            parts = parts.zip_with(
                (strings != "").fill_null(True), pl.Series([[]], dtype=parts.dtype)
            )
            items, bounds = _flat(parts)
            values, failed = decode(self._nulls(items), type.children[0], text)
            return lists(values, bounds[1:], pl.Series(cells.filled)), bad | any_within(
                failed, bounds
            )
        fields: list[pl.Series] = []
        for number, (name, child) in enumerate(zip(type.names, type.children, strict=True)):
            item = text_cells(parts.list.get(number, null_on_oob=True))
            value, failed = decode(self._nulls(item), child, text)
            bad = bad | failed
            fields.append(value.alias(name))
        width = (parts.list.len() == len(type.names)).fill_null(True).to_numpy()
        struct = pl.DataFrame(fields, height=len(cells)).to_struct("")
        return only(struct, cells.filled), bad | ~width


def _flat(parts: pl.Series) -> tuple[Cells, Index]:
    """The elements of all lists as cells, and their bounds."""
    bounds = np.concatenate(([0], np.cumsum(parts.list.len().fill_null(0).to_numpy()))).astype(
        np.int64
    )
    full = parts.filter((parts.list.len() > 0).fill_null(False))
    flat = full.explode() if len(full) else pl.Series([], dtype=pl.String)
    return text_cells(flat), bounds


def text_cells(strings: pl.Series) -> Cells:
    """Strings laid out as cells."""
    data, start, end, kind = texts(strings)
    return Cells(data, start, end, kind)


def _code(character: str | None) -> int:
    return -1 if character is None else ord(character)


def unescape(cells: Cells, rules: CsvRules) -> Cells:
    """The same cells, none of them escaped."""
    escaped = cells.are(Kind.ESCAPED)
    if not escaped.any():
        return cells
    out = np.empty(int((cells.end - cells.start)[escaped].sum()), dtype=np.uint8)
    start, end = cells.start.copy(), cells.end.copy()
    used = unescape_cells(
        cells.data, cells.start, cells.end, cells.kind, _code(rules.quote),
        _code(rules.escape), out, start, end,
    )  # fmt: skip
    kind = np.where(escaped, np.uint8(Kind.TEXT), cells.kind)
    return Cells(np.concatenate((cells.data, out[:used])), start, end, kind)


def _check(options: Options, schema: Schema) -> None:
    csv_rules(options)
    check_columns(schema)


CSV = Format(
    name="csv",
    options=(
        ConnectorOption("field-delimiter", "character between cells", ","),
        ConnectorOption("disable-quote-character", "no cell is quoted", "false"),
        ConnectorOption("quote-character", "character around quoted cells", '"'),
        ConnectorOption("allow-comments", "lines that start with # are skipped", "false"),
        ConnectorOption("ignore-parse-errors", "bad rows skipped, bad fields NULL", "false"),
        ConnectorOption("array-element-delimiter", "text between elements", ";"),
        ConnectorOption("escape-character", "character before one to be taken as it is"),
        ConnectorOption("null-literal", "cell that stands for NULL"),
        ConnectorOption("write-bigdecimal-in-scientific-notation", "1E+2 for 100", "true"),
    ),
    text=lambda columns, options: CsvReader(columns, csv_rules(options)),
    writer=lambda path, schema, options: CsvWriter(path, schema, csv_rules(options)),
    check=_check,
)
