"""Frozen dataclasses are values, hashed once."""

from __future__ import annotations

import dataclasses
from dataclasses import field

from sameriver.common.dataclass import dataclass
from sameriver.common.plain import from_plain, to_plain


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    place: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Whole(Part):
    parts: tuple[Part, ...] = ()


class Counted(str):
    """A text that counts how often it is hashed."""

    hashes = 0

    def __hash__(self) -> int:
        type(self).hashes += 1
        return super().__hash__()


def test_equal_values_are_equal_and_hash_alike() -> None:
    one, other = Whole("a", parts=(Part("b"),)), Whole("a", 7, parts=(Part("b", 8),))
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, Whole("a")}) == 2


def test_a_value_is_hashed_once() -> None:
    whole = Whole("a", parts=(Part(Counted("b")),))
    known = {whole: 1}
    assert known[whole] == 1
    assert Counted.hashes == 1


def test_a_value_made_of_another_has_its_own_hash() -> None:
    whole = Whole("a")
    before = hash(whole)
    changed = dataclasses.replace(whole, name="b")
    assert hash(changed) == hash(Whole("b")) != before


def test_the_hash_is_no_field() -> None:
    whole = Whole("a", parts=(Part("b"),))
    hash(whole)
    assert [f.name for f in dataclasses.fields(whole)] == ["name", "place", "parts"]
    assert repr(whole.parts[0]) == "Part(name='b', place=0)"
    assert from_plain(Whole, to_plain(whole)) == whole
