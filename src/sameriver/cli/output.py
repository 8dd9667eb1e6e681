"""How ``sameriver run`` shows a changelog: as a table, as JSON lines, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TextIO

from sameriver.common.schema import Field, Schema
from sameriver.common.types import CHARACTERS, NUMERIC, Root

Writer = Callable[[Sequence[str], Sequence[Sequence[object]]], None]
"""Takes change kinds and rows of one batch, values as ``session.render`` gives them."""


class Output(Enum):
    """The value is the word for ``--output``."""

    TABLE = "table"
    JSONL = "jsonl"
    NONE = "none"


def writer(output: Output, schema: Schema, to: TextIO) -> Writer:
    """A writer of rows of ``schema``."""
    match output:
        case Output.TABLE:
            return _table(schema, to)
        case Output.JSONL:
            return _jsonl(to)
        case Output.NONE:
            return lambda kinds, rows: None


def print_answer(names: Sequence[str], rows: Sequence[Sequence[object]], output: Output) -> None:
    """Prints what SHOW and its like answer; a single column comes without its name."""
    if output is Output.NONE or not rows:
        return
    if len(names) == 1:
        print("\n".join(str(row[0]) for row in rows))
        return
    widths = [max(len(str(cell)) for cell in column) for column in zip(names, *rows, strict=True)]
    for row in (names, *rows):
        cells = (str(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _jsonl(to: TextIO) -> Writer:
    def write(kinds: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        lines = (
            json.dumps({"op": kind, "row": row}, ensure_ascii=False) + "\n"
            for kind, row in zip(kinds, rows, strict=True)
        )
        to.write("".join(lines))
        to.flush()

    return write


def _table(schema: Schema, to: TextIO) -> Writer:
    """Columns as wide as their type commonly needs; a longer value is shown whole."""
    widths = [_width(field) for field in schema]
    numeric = [field.type.root in NUMERIC for field in schema]
    rule = "+" + "+".join("-" * (width + 2) for width in [2, *widths]) + "+\n"

    def row_text(kind: str, values: Sequence[object]) -> str:
        cells = [kind]
        for value, width, right in zip(values, widths, numeric, strict=True):
            text = _text(value)
            cells.append(text.rjust(width) if right else text.ljust(width))
        return "| " + " | ".join(cells) + " |\n"

    to.write(rule + row_text("op", schema.names) + rule)
    to.flush()

    def write(kinds: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        lines = (row_text(kind, row) for kind, row in zip(kinds, rows, strict=True))
        to.write("".join(lines))
        to.flush()

    return write


def _text(value: object) -> str:
    if value is None:
        return "<NULL>"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value)


_WIDTHS = {
    Root.TINYINT: 4, Root.SMALLINT: 6, Root.INT: 11, Root.BIGINT: 20, Root.FLOAT: 16,
    Root.DOUBLE: 20, Root.DATE: 10, Root.TIME: 8, Root.BOOLEAN: 7,
}  # fmt: skip


def _width(field: Field) -> int:
    root, precision = field.type.root, field.type.precision or 0
    if root is Root.DECIMAL:
        width = precision + 2
    elif root in (Root.TIMESTAMP, Root.TIMESTAMP_LTZ):
        width = 19 + (precision + 1 if precision else 0)
    elif root in CHARACTERS:
        width = min(precision, 24)
    else:
        width = _WIDTHS.get(root, 24)
    return max(width, len(field.name), len("<NULL>"))
