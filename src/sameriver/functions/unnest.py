"""UNNEST: the elements of a collection as rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sameriver.common.errors import UserError
from sameriver.common.types import INT, DataType, Root
from sameriver.functions.signature import Expanded, Operand, TableFunction, TableResolved

_COLLECTIONS = (Root.ARRAY, Root.MAP, Root.MULTISET)


def _columns(type: DataType) -> list[tuple[str, DataType]]:
    """What the elements of a collection are as columns; rows spread out."""
    if type.root is Root.MAP:
        return [("KEY", type.children[0]), ("VALUE", type.children[1])]
    element = type.children[0]
    if element.root is not Root.ROW:
        return [("EXPR$0", element)]
    fields = [child.with_nullable(child.nullable or element.nullable) for child in element.children]
    return list(zip(element.names, fields, strict=True))


def _infer(operands: Sequence[Operand], *, ordinality: bool) -> TableResolved:
    """Settles the types.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    types = [operand.type for operand in operands]
    if len(types) != 1 or types[0].root not in _COLLECTIONS:
        given = ", ".join(type.name for type in types)
        raise UserError(
            "WRONG_ARGUMENTS",
            f"'UNNEST' does not take ({given})",
            hint="It takes one ARRAY, MAP or MULTISET.",
        )
    columns = _columns(types[0])
    if ordinality:
        columns.append(("ORDINALITY", INT.not_null))
    return TableResolved((types[0].plain,), tuple(columns))


def _expand(args: Sequence[pl.Series], types: Sequence[DataType], *, ordinality: bool) -> Expanded:
    (lists,) = args
    (type,) = types
    sizes = lists.list.len().fill_null(0)
    counts = sizes.to_numpy().astype(np.int64)
    elements = lists.filter(sizes > 0).explode()
    if type.root is Root.MULTISET:
        often = elements.struct.field("value").cast(pl.Int64).to_numpy()
        ends = np.concatenate([[0], np.cumsum(often)])
        last = np.cumsum(counts)
        counts = ends[last] - ends[last - counts]
        places = pl.Series(np.repeat(np.arange(len(often)), often))
        elements = elements.struct.field("key").gather(places)
    if type.root is Root.MAP or type.children[0].root is Root.ROW:
        frame = elements.struct.unnest()
    else:
        frame = elements.to_frame()
    if ordinality:
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        number = pl.Series("$ordinality", np.arange(frame.height) - firsts + 1, dtype=pl.Int32)
        frame = frame.with_columns(number)
    return Expanded(counts, frame)


UNNEST = TableFunction(
    name="UNNEST",
    infer=lambda operands: _infer(operands, ordinality=False),
    expand=lambda args, types, height: _expand(args, types, ordinality=False),
)
UNNEST_WITH_ORDINALITY = TableFunction(
    name="UNNEST WITH ORDINALITY",
    infer=lambda operands: _infer(operands, ordinality=True),
    expand=lambda args, types, height: _expand(args, types, ordinality=True),
)
