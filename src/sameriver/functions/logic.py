"""AND, OR, NOT and IS TRUE: SQL's three values."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import polars as pl

from sameriver.common.types import BOOLEAN
from sameriver.functions.forms import TRUTH, infer
from sameriver.functions.signature import ScalarFunction


def _test(name: str, test: Callable[[pl.Expr], pl.Expr]) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (TRUTH,), result=BOOLEAN, nullable=False),
        kernel=lambda _, args: test(args[0]),
    )


LOGIC = [
    ScalarFunction(
        name="AND",
        infer=infer("AND", (TRUTH, TRUTH, ...), result=BOOLEAN),
        kernel=lambda _, args: reduce(lambda a, b: a & b, args),
    ),
    ScalarFunction(
        name="OR",
        infer=infer("OR", (TRUTH, TRUTH, ...), result=BOOLEAN),
        kernel=lambda _, args: reduce(lambda a, b: a | b, args),
    ),
    ScalarFunction(
        name="NOT",
        infer=infer("NOT", (TRUTH,), result=BOOLEAN),
        kernel=lambda _, args: ~args[0],
    ),
    _test("IS TRUE", lambda a: a.fill_null(False)),
    _test("IS NOT TRUE", lambda a: ~a.fill_null(False)),
    _test("IS FALSE", lambda a: ~a.fill_null(True)),
    _test("IS NOT FALSE", lambda a: a.fill_null(True)),
    _test("IS UNKNOWN", lambda a: a.is_null()),
    _test("IS NOT UNKNOWN", lambda a: a.is_not_null()),
]
