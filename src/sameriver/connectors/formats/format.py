"""What a format offers: how bytes of a file become rows, and rows bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import polars as pl

from sameriver.common.changes import ChangeKind, Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.schema import Schema
from sameriver.common.types import DataType
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats.cells import Data

INSERTS = frozenset({ChangeKind.INSERT})
ALL_KINDS = frozenset(ChangeKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What is to be read or written.

    Attributes:
        declared: every column that stands in the file.
        wanted: those of them to deliver, in order; a ROW may have fewer fields, if the format can
            read it so.
    """

    declared: Schema
    wanted: Schema

    def in_part(self, name: str) -> bool:
        """Whether of a ROW only some fields are asked for, and so never whether it is NULL."""
        return _fewer(self.wanted[name], self.declared[name])


def _fewer(wanted: DataType, declared: DataType) -> bool:
    pairs = zip(wanted.children, declared.children, strict=False)
    return wanted.names != declared.names or any(_fewer(one, other) for one, other in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """Rows of a piece of text.

    Attributes:
        changes: the rows.
        used: bytes they took; the rest is an unfinished row.
        lines: how many line ends are among the bytes used.
        counters: what was ignored.
    """

    changes: Changes
    used: int
    lines: int
    counters: Mapping[str, int] = field(default_factory=dict)


class TextReader(Protocol):
    """Reads a text format piece by piece; pieces may be read in threads, side by side.

    Attributes:
        by_line: a row ends where a line does, always.
    """

    by_line: ClassVar[bool]

    def cut(self, data: Data, sure: bool) -> int:
        """Where the last whole row of ``data`` ends, which starts at a row; 0: there is none.

        Args:
            data: text.
            sure: False: a good guess will do. ``parse`` then tells whether it was right: it uses
                all of the text up to there, or less.
        """
        ...

    def parse(self, data: Data, last: bool) -> Parsed:
        """Rows of ``data``, which starts at a row; ``last``: nothing follows.

        The rows must own what they hold: the memory of ``data`` is used again.

        Raises:
            BadRow: the first row that can't be read, if such rows must not be ignored.
        """
        ...


@runtime_checkable
class BlockReader(Protocol):
    """A reader of lines that can take them block by block.

    Attributes:
        block: bytes at a time that suit it; None: all at once.
    """

    @property
    def block(self) -> int | None: ...

    def parse_blocks(self, blocks: Iterable[Data], size: int) -> Parsed:
        """Rows of all blocks as ``parse`` gives them; each ends where a line does.

        Args:
            blocks: one or more; the memory of one is used again for the next.
            size: how many bytes they have.
        """
        ...


FrameReader = Callable[[Path, int], Iterator[pl.DataFrame]]
"""Frames of a file from a row number on."""


class Writer(Protocol):
    """Writes one file."""

    @property
    def size(self) -> int:
        """Bytes so far; of a columnar format as they are in memory."""
        ...

    def write(self, changes: Changes) -> None:
        """Writes rows; those of a text format stand in the file afterwards."""
        ...

    def close(self) -> None:
        """Finishes the file; may be called again."""
        ...


Options = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format: one entry of ``FORMATS``.

    Attributes:
        name: value of ``format``; its options are prefixed with it and a dot.
        options: keys without the prefix.
        text: makes a reader of text, for line formats.
        frames: makes a reader of frames, for columnar files.
        writer: makes a writer of one file; None: can't be written.
        changelog: kinds it reads and takes.
        fields: it can read some fields of a ROW without the others.
        check: refuses columns it can't hold or bad values of options.
    """

    name: str
    options: tuple[ConnectorOption, ...] = ()
    text: Callable[[Columns, Options], TextReader] | None = None
    frames: Callable[[Columns, Options], FrameReader] | None = None
    writer: Callable[[Path, Schema, Options], Writer] | None = None
    changelog: frozenset[ChangeKind] = INSERTS
    fields: bool = False
    check: Callable[[Options, Schema], object]
