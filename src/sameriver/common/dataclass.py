"""Dataclasses that load fast.

The standard library writes and compiles six functions for each frozen dataclass. With hundreds of
them that is a good part of the time from the start to the first row, so here only ``__init__`` is
made that way. That nothing assigns to the fields of a frozen class, the type checker sees to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(**options: Any) -> Callable[[type], type]:
        """As ``dataclasses.dataclass``; a frozen class is equal, hashed and shown by its fields."""
        if not options.pop("frozen", False):
            return dataclasses.dataclass(**options)
        by_value = options.pop("eq", True)

        def make(cls: type) -> type:
            made = _dataclass(cls, options)
            if "__repr__" not in cls.__dict__:
                made.__repr__ = _shown
            if by_value:
                _compare(made)
            return made

        return make


def _dataclass(cls: Any, options: dict[str, Any]) -> Any:
    """The class with a place for its hash that is no field.

    A part of a plan is looked up often, and its hash is that of all that is below it.
    """
    cls._hash = dataclasses.field(init=False)
    cls.__annotations__["_hash"] = "int"
    made: Any = dataclasses.dataclass(cls, eq=False, repr=False, **options)
    del made.__dataclass_fields__["_hash"], made.__annotations__["_hash"]
    return made


def _compare(made: Any) -> None:
    """Gives a class equality and a hash, but for those it has itself."""
    compared = [field for field in dataclasses.fields(made) if field.compare]
    values = _values([field.name for field in compared])
    keys = _values([field.name for field in compared if field.hash is not False])

    def equal(self: object, other: object) -> Any:
        same = other.__class__ is self.__class__
        return values(self) == values(other) if same else NotImplemented

    def hashed(self: Any) -> Any:
        try:
            return self._hash
        except AttributeError:
            self._hash = found = hash(keys(self))
            return found

    if "__eq__" not in made.__dict__:
        made.__eq__ = equal
    if made.__dict__.get("__hash__") is None:
        made.__hash__ = hashed


def _values(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """What reads fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _shown(self: Any) -> str:
    fields = (f.name for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in fields)})"
