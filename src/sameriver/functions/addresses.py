"""INET_ATON and INET_NTOA: IPv4 addresses as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sameriver.common.types import BIGINT, STRING
from sameriver.functions.forms import LONG, TEXT, infer
from sameriver.functions.signature import Evaluation, ScalarFunction
from sameriver.functions.staged import let

_ADDRESS = r"^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?$"


def _number(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """``a.b.c.d``; in ``a.b`` the last part stands for ``d``, as in MySQL."""
    return let(pl.Int64(), _joined, args[0].str.extract_groups(_ADDRESS))


def _joined(groups: pl.Expr) -> pl.Expr:
    given = [groups.struct.field(str(n)) for n in (1, 2, 3, 4)]
    parts = [part.cast(pl.Int64, strict=False) for part in given]
    last = pl.coalesce(reversed(parts))
    total = pl.lit(0, dtype=pl.Int64)
    for position, shift in enumerate((24, 16, 8)):
        leads = given[position + 1].is_not_null()
        total = total + pl.when(leads).then(parts[position]).otherwise(0) * 2**shift
    small = pl.all_horizontal([part.fill_null(0) < 256 for part in parts])
    return pl.when(small).then(total + last)


def _address(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    number = pl.when(args[0].is_between(0, 2**32 - 1)).then(args[0])
    return pl.format("{}.{}.{}.{}", *((number // 2**shift) % 256 for shift in (24, 16, 8, 0)))


ADDRESSES = [
    ScalarFunction(
        name="INET_ATON",
        infer=infer("INET_ATON", (TEXT,), result=BIGINT, nullable=True),
        kernel=_number,
    ),
    ScalarFunction(
        name="INET_NTOA",
        infer=infer("INET_NTOA", (LONG,), result=STRING, nullable=True),
        kernel=_address,
    ),
]
