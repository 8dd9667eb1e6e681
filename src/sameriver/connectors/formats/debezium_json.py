"""``debezium-json``: objects with ``before``, ``after`` and ``op`` that tell of changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from sameriver.common.changes import KINDS, ChangeKind, Changes
from sameriver.common.errors import UserError, place_of
from sameriver.common.schema import Schema
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
from sameriver.connectors.formats.faults import BadRow, Faults, character
from sameriver.connectors.formats.format import ALL_KINDS, Columns, Format, Options, Parsed
from sameriver.connectors.formats.json import (
    DECODING_OPTIONS,
    ENCODING_OPTIONS,
    JsonRules,
    json_rules,
    named,
    not_json,
    read_objects,
)
from sameriver.connectors.formats.json_cells import Objects
from sameriver.connectors.formats.json_text import check_encoding, check_keys, json_object
from sameriver.connectors.formats.text_writer import LineFile, lines_of
from sameriver.connectors.options import boolean

_PREFIX = "debezium-json"


@dataclass(slots=True)
class DebeziumReader:
    """Reads change events; an update is two rows, -U and +U."""

    columns: Columns
    rules: JsonRules
    enveloped: bool
    by_line: ClassVar[bool] = True

    def cut(self, data: Data, sure: bool) -> int:
        return line_cut(data)

    def parse(self, data: Data, last: bool) -> Parsed:
        data = data if last else whole_lines(data)
        events, spots, ends = json_cells.lines(data)
        faults = Faults(self.rules.ignore)
        (before, after, op), malformed = self._parts(events)
        created, updated, deleted = _operations(op, before, after)
        unusable = ~(created | updated | deleted | malformed)
        old, old_bad = self._rows(before, updated | deleted, spots, faults)
        new, new_bad = self._rows(after, created | updated, spots, faults)
        malformed |= old_bad | new_bad
        faults.rows(malformed, lambda row: not_json(events, row, spots))
        faults.rows(unusable, lambda row: _unusable(events, row, spots, op))
        if malformed.any():
            # an update is dropped as a whole, also if one of its images is good
            old, new = (
                side.filter(~pl.Series(malformed[side["$event"].to_numpy()])) for side in (old, new)
            )
        return Parsed(
            changes=_merge(old, new, created, updated, deleted),
            used=len(data),
            lines=ends,
            counters=faults.settle(),
        )

    def _parts(self, events: Cells) -> tuple[tuple[Cells, ...], Mask]:
        """``before``, ``after`` and ``op``, and which events are malformed."""
        outer = np.zeros(len(events), dtype=np.bool_)
        if self.enveloped:
            (events,), outer = json_cells.fields(events, [("payload", None)], None)
        names = ("before", "after", "op")
        parts, malformed = json_cells.fields(events, [(name, None) for name in names], None)
        malformed |= outer
        parts[2].kind[malformed] = Kind.ABSENT
        return parts, malformed

    def _rows(
        self, images: Cells, used: Mask, spots: Index, faults: Faults
    ) -> tuple[pl.DataFrame, Mask]:
        """The images that are used, as rows, and which events have a malformed one."""
        at = np.flatnonzero(used)
        taken = images.take(at)
        columns, malformed = json_cells.fields(taken, named(self.columns), self.rules.text)
        objects = Objects(taken, spots[at], columns, malformed)
        rows = read_objects(objects, self.columns, self.rules, faults)
        bad = np.zeros(len(images), dtype=np.bool_)
        bad[at[malformed]] = True
        return rows.with_columns(pl.Series("$event", at, dtype=pl.Int64)), bad


def _unusable(events: Cells, row: int, spots: Index, op: Cells) -> BadRow:
    """Tells why an event that is an object says nothing."""
    line, text = int(spots[row, 0]), events.text(row)
    if op.kind[row] <= Kind.NULL:
        return BadRow(line, "is no Debezium event: it has no 'op'", text)
    at = character(op, row, spots)
    if op.text(row) in ("u", "d"):
        what = (
            "is an update or delete without 'before';"
            " the source must send whole rows (REPLICA IDENTITY FULL in PostgreSQL)"
        )
        return BadRow(line, what, text, "op", at)
    return BadRow(line, "is no Debezium event that can be used", text, "op", at)


def _operations(op: Cells, before: Cells, after: Cells) -> tuple[Mask, Mask, Mask]:
    """Which events create (also snapshot reads), update and delete."""
    filled = op.are(Kind.TEXT)
    letter = np.zeros(len(op), dtype=np.uint8)
    one = filled & (op.end - op.start == 1)
    letter[one] = op.data[op.start[one]]
    has_before, has_after = before.are(Kind.OBJECT), after.are(Kind.OBJECT)
    created = ((letter == ord("c")) | (letter == ord("r"))) & has_after
    updated = (letter == ord("u")) & has_before & has_after
    deleted = (letter == ord("d")) & has_before
    return created, updated, deleted


def _merge(
    old: pl.DataFrame, new: pl.DataFrame, created: Mask, updated: Mask, deleted: Mask
) -> Changes:
    """Rows in the order of their events, the old one of an update first."""
    kinds = np.where(updated, ChangeKind.UPDATE_BEFORE, ChangeKind.DELETE)
    later = np.where(updated, ChangeKind.UPDATE_AFTER, ChangeKind.INSERT)
    old = old.with_columns(_kind(kinds, old), pl.lit(0).alias("$turn"))
    new = new.with_columns(_kind(later, new), pl.lit(1).alias("$turn"))
    both = pl.concat([old, new]).sort("$event", "$turn")
    changed = updated.any() or deleted.any()
    return Changes(
        both.drop("$event", "$kind", "$turn"), both["$kind"].alias("") if changed else None
    )


def _kind(kinds: np.ndarray, rows: pl.DataFrame) -> pl.Series:
    return pl.Series("$kind", kinds[rows["$event"].to_numpy()], dtype=KINDS)


class DebeziumWriter:
    """Writes one file: ``c`` for a row that is added, ``d`` for one that is taken back."""

    def __init__(self, path: Path, schema: Schema, options: Options) -> None:
        self._style = check_encoding(options, _PREFIX)
        fields = [(field.name, pl.col(field.name), field.type) for field in schema]
        image, added = json_object(fields, self._style), pl.col("$sign") > 0
        line = (
            pl.when(added)
            .then(pl.format('{{"before":null,"after":{},"op":"c"}}', image))
            .otherwise(pl.format('{{"before":{},"after":null,"op":"d"}}', image))
        )
        self._maps = [field.name for field in schema if field.type.root.value == "MAP"]
        self._file = LineFile(path, lines_of(line))

    def write(self, changes: Changes) -> None:
        check_keys(changes.rows, self._maps, self._style)
        signs = changes.signs()
        sign = pl.lit(1).alias("$sign") if signs is None else signs.alias("$sign")
        self._file.write(changes.rows.with_columns(sign))

    @property
    def size(self) -> int:
        return self._file.size

    def close(self) -> None:
        """Each write is whole."""


def _reader(columns: Columns, options: Options) -> DebeziumReader:
    enveloped = boolean(options, f"{_PREFIX}.schema-include")
    return DebeziumReader(columns, json_rules(options, _PREFIX), enveloped)


def _writer(path: Path, schema: Schema, options: Options) -> DebeziumWriter:
    if boolean(options, f"{_PREFIX}.schema-include"):
        raise UserError(
            "BAD_OPTION",
            "option 'debezium-json.schema-include' is 'true', but events are written bare",
            hint="Leave it out.",
            position=place_of(options[f"{_PREFIX}.schema-include"]),
        )
    return DebeziumWriter(path, schema, options)


def _check(options: Options, schema: Schema) -> None:
    boolean(options, f"{_PREFIX}.schema-include")
    json_rules(options, _PREFIX)
    check_encoding(options, _PREFIX)


DEBEZIUM_JSON = Format(
    name=_PREFIX,
    options=(
        ConnectorOption("schema-include", "events come with their schema", "false"),
        *DECODING_OPTIONS,
        *ENCODING_OPTIONS,
    ),
    text=_reader,
    writer=_writer,
    changelog=ALL_KINDS,
    fields=True,
    check=_check,
)
