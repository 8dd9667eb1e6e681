"""Which types meet in a third, and which go into which without being asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    CHARACTERS,
    DOUBLE,
    INTEGERS,
    NUMERIC,
    TIMESTAMPS,
    DataType,
    Root,
    decimal,
)
from sameriver.functions.decimals import as_decimal

_DATETIME = (Root.DATE, *TIMESTAMPS)


def common_type(types: Iterable[DataType]) -> DataType | None:
    """The type that holds the values of all ``types``.

    Nullable if one of them is. None: there is no such type.
    """
    return _folded(types, _common)


def chosen_type(types: Iterable[DataType]) -> DataType | None:
    """The type of CASE, IF, ARRAY and UNION, which depends on the order of the types.

    FLOAT and DOUBLE are equals, of which the first counts; so are TIMESTAMP and TIMESTAMP_LTZ of
    one precision. Of different ones the second counts.
    """
    return _folded(types, _chosen)


def _folded(
    types: Iterable[DataType], meet: Callable[[DataType, DataType], DataType | None]
) -> DataType | None:
    met: DataType | None = None
    for position, type in enumerate(types):
        met = type.plain if position == 0 else met and meet(met, type.plain)
    return met


def _chosen(left: DataType, right: DataType) -> DataType | None:
    nullable = left.nullable or right.nullable
    roots = {left.root, right.root}
    if roots == set(APPROXIMATE):
        return left.with_nullable(nullable)
    if roots == set(TIMESTAMPS):
        one, two = left.precision or 0, right.precision or 0
        root = left.root if one == two else right.root
        return DataType(root=root, precision=max(one, two), nullable=nullable)
    return _common(left, right)


def first_known_type(types: Sequence[DataType]) -> DataType | None:
    """The type of COALESCE and IFNULL: a DATE or TIME goes before a TIMESTAMP."""
    for root in (Root.DATE, Root.TIME):
        found = _of_times(types, (root, Root.TIMESTAMP), root)
        if found is not None:
            return found
    return zoned_type(types)


def zoned_type(types: Sequence[DataType]) -> DataType | None:
    """The type of GREATEST and LEAST: TIMESTAMP_LTZ goes before TIMESTAMP, FLOAT after DECIMAL."""
    return _of_times(types, TIMESTAMPS, Root.TIMESTAMP_LTZ) or _folded(types, _floating)


def _floating(left: DataType, right: DataType) -> DataType | None:
    if left.root is Root.DECIMAL and right.root is Root.FLOAT:
        return right.with_nullable(left.nullable or right.nullable)
    return _common(left, right)


def _of_times(types: Sequence[DataType], roots: tuple[Root, Root], wanted: Root) -> DataType | None:
    """The wanted type, where both roots meet and no other."""
    known = [type for type in types if type.root is not Root.NULL]
    if {type.root for type in known} != set(roots):
        return None
    asked = known if wanted in TIMESTAMPS else [type for type in known if type.root is wanted]
    digits = max(type.precision or 0 for type in asked)
    nullable = any(type.nullable for type in types)
    return DataType(
        root=wanted, precision=None if wanted is Root.DATE else digits, nullable=nullable
    )


def _common(left: DataType, right: DataType) -> DataType | None:
    nullable = left.nullable or right.nullable
    met = _meet(left, right)
    return None if met is None else met.with_nullable(nullable)


def _meet(left: DataType, right: DataType) -> DataType | None:
    if left.with_nullable(True) == right.with_nullable(True):
        return left
    if Root.NULL in (left.root, right.root):
        return right if left.root is Root.NULL else left
    if left.root in NUMERIC and right.root in NUMERIC:
        return common_number(left, right)
    for family, varying in ((CHARACTERS, Root.VARCHAR), (BINARIES, Root.VARBINARY)):
        if left.root in family and right.root in family:
            length = max(left.precision or 0, right.precision or 0)
            return DataType(root=varying, precision=length)
    if left.root in _DATETIME and right.root in _DATETIME:
        return _datetime(left, right)
    if left.root is right.root:
        return _same_root(left, right)
    return None


def common_number(left: DataType, right: DataType) -> DataType:
    """The wider number: BIGINT before INT, DOUBLE before DECIMAL, FLOAT before INT."""
    roots = (left.root, right.root)
    if any(root in APPROXIMATE for root in roots):
        if Root.DECIMAL in roots or Root.DOUBLE in roots:
            return DOUBLE
        return left if left.root is Root.FLOAT else right
    if all(root in INTEGERS for root in roots):
        return max(left, right, key=lambda type: INTEGERS.index(type.root))
    one, two = as_decimal(left), as_decimal(right)
    scale = max(one.scale or 0, two.scale or 0)
    whole = max((t.precision or 0) - (t.scale or 0) for t in (one, two))
    return decimal(min(38, whole + scale), scale)


def _datetime(left: DataType, right: DataType) -> DataType | None:
    if left.root is not right.root:
        return None
    return DataType(root=left.root, precision=max(left.precision or 0, right.precision or 0))


def _same_root(left: DataType, right: DataType) -> DataType | None:
    if left.root is Root.TIME:
        return left if (left.precision or 0) >= (right.precision or 0) else right
    if len(left.children) != len(right.children):
        return None
    pairs = zip(left.children, right.children, strict=True)
    children = tuple(common_type(pair) for pair in pairs)
    if not children or None in children:
        return None
    return replace(left, children=tuple(child for child in children if child is not None))


def comparable(left: DataType, right: DataType, *, equality: bool) -> DataType | None:
    """The type in which Flink compares the two; None where it refuses.

    A string that meets a date or time is read as one. A string and a number or BOOLEAN can be
    ordered (the string is read as one) but not tested for equality, as in Flink.
    """
    if Root.NULL in (left.root, right.root):
        known = right if left.root is Root.NULL else left
        return None if known.root is Root.ROW else known
    if {left.root, right.root} == {Root.DATE, Root.TIMESTAMP}:
        return None
    for text, other in ((left, right), (right, left)):
        if text.root in CHARACTERS and other.root not in CHARACTERS:
            readable = other.root in (*_DATETIME, Root.TIME)
            if readable or (other.root in (*NUMERIC, Root.BOOLEAN) and not equality):
                return other
            return None
    if {left.root, right.root} == set(TIMESTAMPS):
        precision = max(left.precision or 0, right.precision or 0)
        return DataType(root=Root.TIMESTAMP_LTZ, precision=precision)
    return common_type((left, right))


def implicit_cast_allowed(source: DataType, target: DataType) -> bool:
    """Whether a value may go where ``target`` is expected without CAST (INSERT, arguments).

    Numbers widen, strings of any length mix, DATE goes to TIMESTAMP, the two timestamps mix.
    """
    one, two = source.root, target.root
    if one is Root.NULL or (one is two and not source.children):
        return True
    if one in INTEGERS and two in INTEGERS:
        return INTEGERS.index(one) <= INTEGERS.index(two)
    if one in (*INTEGERS, Root.DECIMAL) and two in (Root.DECIMAL, *APPROXIMATE):
        return True
    if one is Root.FLOAT and two is Root.DOUBLE:
        return True
    if any(one in family and two in family for family in (CHARACTERS, BINARIES, TIMESTAMPS)):
        return True
    if one is Root.DATE and two in TIMESTAMPS:
        return True
    if one is two and len(source.children) == len(target.children):
        pairs = zip(source.children, target.children, strict=True)
        return all(implicit_cast_allowed(a, b) for a, b in pairs)
    return False
