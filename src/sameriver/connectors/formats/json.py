"""``json``: one object a line, with Flink's options and conversions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import ClassVar

import numpy as np
import polars as pl

from sameriver.common.changes import Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Field, Schema
from sameriver.common.types import INT, TIMESTAMPS, DataType, Root
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats import json_cells
from sameriver.connectors.formats.cells import (
    Cells,
    Data,
    Index,
    Kind,
    Mask,
    line_cut,
    whole_lines,
)
from sameriver.connectors.formats.decode import Decoded, TextRules, decode
from sameriver.connectors.formats.faults import BadRow, Faults, character
from sameriver.connectors.formats.format import Columns, Format, Options, Parsed
from sameriver.connectors.formats.gathered import Gathering, gatherable
from sameriver.connectors.formats.json_cells import Fields, FieldTree, Objects, Scanner
from sameriver.connectors.formats.json_text import JsonWriter, check_encoding
from sameriver.connectors.formats.nested import any_within, only
from sameriver.connectors.options import boolean, choice
from sameriver.functions.lists import lists

STANDARDS = ("SQL", "ISO-8601")

ENCODING_OPTIONS = (
    ConnectorOption("map-null-key.mode", "FAIL, DROP or LITERAL for NULL keys of maps", "FAIL"),
    ConnectorOption("map-null-key.literal", "what LITERAL writes for a NULL key", "null"),
    ConnectorOption("encode.decimal-as-plain-number", "never 1E+2 for 100", "false"),
    ConnectorOption("encode.ignore-null-fields", "leaves NULL fields out", "false"),
)
DECODING_OPTIONS = (
    ConnectorOption("ignore-parse-errors", "bad rows skipped, bad fields NULL", "false"),
    ConnectorOption("timestamp-format.standard", "SQL or ISO-8601", "SQL"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRules:
    """Options of reading."""

    ignore: bool
    strict: bool
    text: TextRules


def json_rules(options: Options, prefix: str) -> JsonRules:
    """The rules that options under ``prefix`` give."""
    standard = choice(options, f"{prefix}.timestamp-format.standard", "SQL", STANDARDS)
    strict = boolean(options, f"{prefix}.fail-on-missing-field")
    return JsonRules(
        ignore=boolean(options, f"{prefix}.ignore-parse-errors"),
        strict=strict,
        text=TextRules(iso=standard != "SQL", nested=_strict if strict else _lenient),
    )


_BLOCK = 1 << 20
"""Bytes that stay in the cache of a core while they are read, scanned and gathered."""


class JsonReader:
    """Reads lines of objects."""

    by_line: ClassVar[bool] = True

    def __init__(self, columns: Columns, rules: JsonRules) -> None:
        self._columns = columns
        self._rules = rules
        self._tree = FieldTree(named(columns), rules.text)
        self._gatherable = gatherable(self._tree, columns, rules.strict)

    @property
    def block(self) -> int | None:
        """Once most blocks of a piece were odd, pieces are read whole: that takes fewer calls."""
        return _BLOCK if self._gatherable else None

    def cut(self, data: Data, sure: bool) -> int:
        return line_cut(data)

    def parse(self, data: Data, last: bool) -> Parsed:
        data = data if last else whole_lines(data)
        return self.parse_blocks([data], len(data))

    def parse_blocks(self, blocks: Iterable[Data], size: int) -> Parsed:
        scanner, counters = Scanner(self._tree), Counter[str]()
        used = lines = 0
        with Gathering(self._gatherable, size) as gathering:
            for data in blocks:
                found = scanner.scan(data)
                if not gathering.add(found):
                    faults = Faults(self._rules.ignore, lines)
                    gathering.put(self._rows(found.objects(), faults))
                    counters.update(faults.settle())
                used, lines = used + len(data), lines + found.ends
            rows = Changes(gathering.frame())
        if gathering.mostly_odd:
            self._gatherable = None
        return Parsed(changes=rows, used=used, lines=lines, counters=counters)

    def _rows(self, found: Objects, faults: Faults) -> pl.DataFrame:
        """Objects among which some may be odd."""
        malformed = found.malformed
        rows = read_objects(found, self._columns, self._rules, faults)
        faults.rows(malformed, lambda row: not_json(found.cells, row, found.spots))
        return rows.filter(pl.Series(~malformed)) if malformed.any() else rows


def named(columns: Columns) -> Fields:
    """Names and types of the fields that are wanted."""
    return zip(columns.wanted.names, columns.wanted.types, strict=True)


def read_objects(
    objects: Objects, wanted: Columns, rules: JsonRules, faults: Faults
) -> pl.DataFrame:
    """The fields of objects as a frame.

    Args:
        objects: what was found of them; the caller tells ``faults`` of malformed ones.
        wanted: the fields.
        rules: how they are read.
        faults: takes bad fields.
    """
    cells, spots, columns, malformed = objects
    present = ~malformed & cells.are(Kind.OBJECT)
    decoded: list[pl.Series] = []
    for field, column in zip(wanted.wanted, columns, strict=True):
        if field.type.root is Root.ROW:
            whole = not wanted.in_part(field.name)
            series, bad = _rows(column, field.type, rules.text, rules.strict, whole)
        else:
            series, bad = decode(json_cells.unescape(column), field.type, rules.text)
        if bad.any():
            _report(field, column, bad & present, cells, spots, faults)
        if rules.strict:
            missing = present & column.are(Kind.ABSENT)
            _report_missing(field, missing, cells, spots, faults)
        decoded.append(series.alias(field.name))
    return pl.DataFrame(decoded or None, height=len(cells))


def not_json(cells: Cells, row: int, spots: Index) -> BadRow:
    """Tells of a line that is no object, and where it goes wrong."""
    text = cells.text(row)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        what = f"is no JSON object in one line: {error.msg.lower()}"
        return BadRow(int(spots[row, 0]), what, text, character=error.pos + 1)
    return BadRow(int(spots[row, 0]), "is no JSON object in one line", text)


def _report(
    field: Field, column: Cells, bad: Mask, cells: Cells, spots: Index, faults: Faults
) -> None:
    def tell(row: int) -> BadRow:
        at, text = character(column, row, spots), column.text(row)
        iso = field.type.root in TIMESTAMPS and "T" in text
        ask = "Times with a T need 'timestamp-format.standard' = 'ISO-8601'." if iso else ""
        what = f"is no {field.type.name}"
        return BadRow(int(spots[row, 0]), what, text, field.name, at, ask)

    faults.fields(bad, tell)


def _report_missing(
    field: Field, missing: Mask, cells: Cells, spots: Index, faults: Faults
) -> None:
    def tell(row: int) -> BadRow:
        what = f"has no field '{field.name}'"
        return BadRow(int(spots[row, 0]), what, cells.text(row), field.name)

    faults.fields(missing, tell)


def _lenient(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    return _nested(cells, type, rules, strict=False)


def _strict(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    return _nested(cells, type, rules, strict=True)


def _nested(cells: Cells, type: DataType, rules: TextRules, strict: bool) -> Decoded:
    match type.root:
        case Root.ROW:
            return _rows(cells, type, rules, strict)
        case Root.ARRAY:
            return _arrays(cells, type, rules)
    return _maps(cells, type, rules)


def _rows(
    cells: Cells, type: DataType, rules: TextRules, strict: bool, whole: bool = True
) -> Decoded:
    """ROWs of objects, NULL where there is none; if not ``whole``, only their fields are then."""
    objects = cells.are(Kind.OBJECT)
    columns = cells.fields
    if not columns:
        columns, broken = json_cells.fields(
            cells, zip(type.names, type.children, strict=True), rules
        )
        objects &= ~broken
    bad = cells.filled & ~objects
    parts: list[pl.Series] = []
    for name, child, column in zip(type.names, type.children, columns, strict=True):
        series, failed = decode(json_cells.unescape(column), child, rules)
        if failed.any():
            bad |= failed & objects
        if strict:
            bad |= objects & column.are(Kind.ABSENT)
        parts.append(series.alias(name))
    struct = pl.DataFrame(parts or None, height=len(cells)).to_struct("")
    return only(struct, objects) if whole else struct, bad


def _arrays(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    found, bounds, malformed = json_cells.items(cells)
    values, failed = decode(json_cells.unescape(found), type.children[0], rules)
    valid = cells.are(Kind.ARRAY) & ~malformed
    bad = (cells.filled & ~valid) | any_within(failed, bounds)
    return lists(values, bounds[1:], pl.Series(valid)), bad


def _maps(cells: Cells, type: DataType, rules: TextRules) -> Decoded:
    found, bounds, malformed = json_cells.items(cells, pairs=True)
    key_type = type.children[0]
    value_type = type.children[1] if type.root is Root.MAP else INT
    turn = np.arange(0, len(found), 2)
    keys, bad_keys = decode(json_cells.unescape(found.take(turn)), key_type, rules)
    values, bad_values = decode(json_cells.unescape(found.take(turn + 1)), value_type, rules)
    entries = pl.DataFrame([keys.alias("key"), values.alias("value")]).to_struct("")
    valid = cells.are(Kind.OBJECT) & ~malformed
    bounds = bounds // 2
    bad = (cells.filled & ~valid) | any_within(bad_keys | bad_values, bounds)
    return lists(entries, bounds[1:], pl.Series(valid)), bad


def _check(options: Options, schema: Schema) -> None:
    json_rules(options, "json")
    check_encoding(options, "json")


JSON = Format(
    name="json",
    options=(
        *DECODING_OPTIONS,
        ConnectorOption("fail-on-missing-field", "a missing field is an error", "false"),
        ConnectorOption("decode.json-parser.enabled", "accepted; makes no difference", "true"),
        *ENCODING_OPTIONS,
    ),
    text=lambda columns, options: JsonReader(columns, json_rules(options, "json")),
    writer=lambda path, schema, options: JsonWriter(path, schema, options, "json"),
    fields=True,
    check=_check,
)
