"""Named, typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.types import DataType, to_polars


@dataclass(frozen=True, slots=True)
class Field:
    """One column."""

    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table or of a plan node, in order; names are unique."""

    fields: tuple[Field, ...]

    @classmethod
    def of(cls, columns: Iterable[tuple[str, DataType]]) -> Schema:
        return cls(tuple(Field(name, type) for name, type in columns))

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def __getitem__(self, name: str) -> DataType:
        for field in self.fields:
            if field.name == name:
                return field.type
        raise KeyError(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def types(self) -> tuple[DataType, ...]:
        return tuple(field.type for field in self.fields)

    def select(self, names: Iterable[str]) -> Schema:
        """The named columns, in the order given."""
        return Schema(tuple(Field(name, self[name]) for name in names))

    def to_polars(self) -> pl.Schema:
        return pl.Schema({field.name: to_polars(field.type) for field in self.fields})

    def empty(self) -> pl.DataFrame:
        """A frame of these columns without rows."""
        return pl.DataFrame(schema=self.to_polars())


def unique(name: str, taken: Iterable[str]) -> str:
    """``name``, or ``name0``, ``name1``, ... if it is taken, as Flink names duplicates."""
    used = set(taken)
    if name not in used:
        return name
    number = 0
    while f"{name}{number}" in used:
        number += 1
    return f"{name}{number}"
