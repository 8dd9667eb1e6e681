"""Columns of ROWs whose fields lie in one block of memory, which kernels can fill in one pass."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np
import polars as pl

from sameriver.common.arrow_column import (
    NO_NAME,
    ROW,
    TEXT,
    Exported,
    Format,
    Words,
    block,
    named,
)
from sameriver.common.dataclass import dataclass
from sameriver.common.kernel import address
from sameriver.common.kernels.memory import release_array, release_schema

_NUMBER, _TIME = ctypes.create_string_buffer(b"l"), ctypes.create_string_buffer(b"tsm:")
"""Arrow's names of types."""
_HEAD = 64
"""Words of the head of a block for each field, and for the row itself; they are aligned by it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowBlock:
    """Memory of a column of ROWs.

    Attributes:
        place: where it starts.
        head: words of what Arrow is told of it.
        valid: a bit for each row, which is NULL without it; its fields must be zeros then.
        numbers: int64, fields by rows.
        texts: Arrow's views as two int64 each, fields by rows. Buffer 0 is ``shared`` of
            ``row_column``, buffer 1 is ``own``.
        own: bytes of texts.
    """

    place: int
    head: np.ndarray
    valid: np.ndarray
    numbers: np.ndarray
    texts: np.ndarray
    own: np.ndarray


def row_block(rows: int, *, numbers: int, texts: int, own: int) -> RowBlock:
    """A block for so many fields, zeros but for its ``own`` bytes; ``row_column`` must follow.

    Raises:
        MemoryError: there is no room.
    """
    bits = -(-rows // 64) * 8
    sizes = [(1 + numbers + texts) * _HEAD * 8, numbers * rows * 8, texts * rows * 16, bits, own]
    place, memory = block(sum(sizes))
    memory[: sum(sizes[:-1])] = 0
    head, fields, views, valid, rest = np.split(memory, np.cumsum(sizes[:-1]))
    return RowBlock(
        place=place,
        head=head.view(np.int64),
        valid=valid,
        numbers=fields.view(np.int64).reshape(numbers, rows),
        texts=views.view(np.int64).reshape(texts, rows, 2),
        own=rest,
    )


def row_column(
    filled: RowBlock, fields: Mapping[str, np.ndarray], shared: np.ndarray, *, nulls: int
) -> pl.Series:
    """The block as a column.

    Args:
        filled: the block.
        fields: by name, one of ``numbers`` (times as ``datetime64[ms]``) or of ``texts``.
        shared: bytes that texts point into; they must live as long as the process.
        nulls: how many rows are NULL.
    """
    told, head = Words(np.zeros((1 + len(fields)) * _HEAD, np.int64)), Words(filled.head)
    names = [ctypes.create_string_buffer(name.encode()) for name in fields]
    schemas = [
        told.put(*named(_format(values), name), 0, 0, 0, address(release_schema), 0)
        for values, name in zip(fields.values(), names, strict=True)
    ]
    arrays = [_array(head, values, filled.own, shared) for values in fields.values()]
    rows, release = filled.numbers.shape[1], address(release_array)
    schema = [*named(ROW, NO_NAME), len(fields), told.put(*schemas), 0]
    array = [rows, nulls, 0, 1, len(fields), head.put(_at(filled.valid)), head.put(*arrays), 0]
    told.write()
    head.write()
    return pl.Series(
        "", Exported([*schema, address(release_schema), 0], [*array, release, filled.place])
    )


def _at(memory: np.ndarray) -> int:
    return memory.ctypes.data


def _format(values: np.ndarray) -> Format:
    if values.ndim > 1:
        return TEXT
    return _TIME if values.dtype.kind == "M" else _NUMBER


def _array(head: Words, values: np.ndarray, own: np.ndarray, shared: np.ndarray) -> int:
    """Where a field without NULLs of its own is described."""
    buffers = [0, _at(values)]
    if values.ndim > 1:
        buffers += [_at(shared), _at(own), head.put(len(shared), len(own))]
    return head.put(
        len(values), 0, 0, len(buffers), 0, head.put(*buffers), 0, 0, address(release_array), 0
    )
