"""Cells of a case as typed columns."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl

from sameriver.common.changes import SYMBOLS, Changes
from sameriver.common.errors import SameriverError, UserError
from sameriver.common.types import STRING, TIMESTAMPS, Root, timestamp, to_polars
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Call, Column
from sameriver.plan.physical.scan import Scan
from sameriver.testing.scenario import Rows

_NESTED = (Root.ARRAY, Root.MAP, Root.MULTISET, Root.ROW)


def changes_of(rows: Rows, scan: Scan, zone: ZoneInfo, path: Path) -> Changes:
    """The rows as the scan's connector would deliver them.

    Raises:
        UserError: BAD_CASE for a row of another width or a cell that is not of its column's type.
    """
    names = [field.name for field in scan.table.physical]
    for cells, line in zip(rows.cells, rows.lines, strict=True):
        if len(cells) != len(names):
            raise UserError(
                "BAD_CASE",
                f"{path.name}:{line}: {len(cells)} cells for the {len(names)} columns of "
                f"'{rows.table}'",
                hint=f"Columns: {', '.join(names)}; keep two spaces between cells.",
            )
    text = pl.DataFrame(
        list(zip(*rows.cells, strict=True)), schema=dict.fromkeys(names, pl.String), orient="col"
    )
    try:
        frame = text.select(_parse(field.name, scan, zone) for field in scan.schema)
    except (SameriverError, pl.exceptions.PolarsError) as error:
        raise UserError(
            "BAD_CASE", f"{path.name}:{rows.lines[0]}: in rows of '{rows.table}': {error}"
        ) from error
    return Changes(frame, _kinds(rows.kinds))


def _kinds(symbols: tuple[str, ...]) -> pl.Series | None:
    numbers = [SYMBOLS.index(symbol) for symbol in symbols]
    return pl.Series(numbers, dtype=pl.UInt8) if any(numbers) else None


def _parse(name: str, scan: Scan, zone: ZoneInfo) -> pl.Expr:
    type = scan.schema[name].plain
    if type.root in _NESTED:
        return pl.col(name).str.json_decode(to_polars(type)).alias(name)
    if type.root in TIMESTAMPS:
        type = type.with_nullable(True)
    cast = Call("CAST", (Column(name, STRING),), type.with_nullable(True))
    return compile_expression(cast, zone).alias(name)


def milliseconds(text: str, zone: ZoneInfo, where: str) -> int:
    """A timestamp's text as ms since 1970 (wall time of ``zone``).

    Raises:
        UserError: BAD_CASE.
    """
    cast = Call("TRY_CAST", (Column("t", STRING),), timestamp(3))
    frame = pl.DataFrame({"t": [text]})
    moment = frame.select(compile_expression(cast, zone)).to_series()[0]
    if moment is None:
        raise UserError(
            "BAD_CASE",
            f"{where}: '{text}' is no timestamp",
            hint="Write YYYY-MM-DD HH:MM:SS.",
        )
    return int(moment.replace(tzinfo=zone).timestamp() * 1000)
