"""ABS, ROUND, LN, SIN and their like."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    CHARACTERS,
    DOUBLE,
    INT,
    INTEGERS,
    NUMERIC,
    STRING,
    DataType,
    Root,
    decimal,
    to_polars,
)
from sameriver.functions import decimals
from sameriver.functions.failure import fail_where
from sameriver.functions.forms import (
    FLOATING,
    LONG,
    NUMBER,
    TEXT,
    WHOLE,
    Family,
    first,
    infer,
    wrong_arguments,
)
from sameriver.functions.kernels.rounding import round_reals
from sameriver.functions.parse import exact_text
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction
from sameriver.functions.staged import else_by, let


def _real(
    name: str, compute: Callable[..., pl.Expr], arity: int = 1, *aliases: str
) -> ScalarFunction:
    """A function of DOUBLE arguments that gives DOUBLE."""
    return ScalarFunction(
        name=name,
        infer=infer(name, (FLOATING,) * arity, result=DOUBLE),
        kernel=lambda _, args: compute(*args),
        aliases=aliases,
    )


_LARGER = Family(
    "<number but TINYINT or SMALLINT>", frozenset(NUMERIC) - {Root.TINYINT, Root.SMALLINT}
)
"""What Flink can plan SIGN and TRUNCATE for."""


def _sides(operands: Sequence[Operand]) -> Resolved:
    """What ATAN2 takes; Flink can't plan it for a DECIMAL beside another number."""
    roots = {operand.type.root for operand in operands}
    if Root.DECIMAL in roots and len(roots) > 1:
        form = (FLOATING, FLOATING)
        raise wrong_arguments("ATAN2", operands, (form,), hint="CAST the DECIMAL to DOUBLE.")
    return infer("ATAN2", (FLOATING, FLOATING), result=DOUBLE)(operands)


def _constant(name: str, value: float) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (), result=DOUBLE, nullable=False),
        kernel=lambda *_: pl.lit(value, dtype=pl.Float64),
    )


def _log(_: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    return args[0].log() if len(args) == 1 else args[1].log() / args[0].log()


def _abs(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    if evaluation.result.root is Root.DECIMAL:
        size = decimals.unscaled(args[0]).abs()
        return size.reinterpret(dtype=to_polars(evaluation.result))
    return args[0].abs()


def _sign(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    type = evaluation.result
    if type.root is Root.DECIMAL:
        unit = decimals.big(10 ** (type.scale or 0))
        return decimals.scaled(decimals.unscaled(args[0]).sign() * unit, type)
    return args[0].sign().cast(to_polars(type))


def _places(operands: Sequence[Operand]) -> int:
    if len(operands) == 1:
        return 0
    value = operands[1].value
    return value if isinstance(value, int) else 0


def _rounded(name: str) -> Callable[[Sequence[Operand]], DataType]:
    def result(operands: Sequence[Operand]) -> DataType:
        type = operands[0].type
        if type.root is not Root.DECIMAL:
            return type
        if len(operands) == 2 and not operands[1].is_literal:
            raise wrong_arguments(
                name, operands, ((NUMBER, WHOLE),), hint="For a DECIMAL, write a constant."
            )
        return decimals.rounded_type(type, _places(operands))

    return result


def _round(evaluation: Evaluation, args: Sequence[pl.Expr], *, half: bool) -> pl.Expr:
    type = evaluation.operands[0].type
    places = _places(evaluation.operands)
    if len(args) == 2 and not evaluation.operands[1].is_literal:
        return _by_column(args[0], args[1], type, half)
    if type.root is Root.DECIMAL:
        return decimals.round_to(args[0], type, places, half=half)
    if type.root in INTEGERS:
        if places >= 0:
            return args[0]
        by, whole = decimals.big(10**-places), args[0].cast(pl.Int128)
        cut = decimals.half_up(whole, by) if half else decimals.truncated(whole, by)
        return (cut * by).cast(to_polars(type), wrap_numerical=True)
    return _round_real(args[0], type, places, half)


def _round_real(value: pl.Expr, type: DataType, places: int, half: bool) -> pl.Expr:
    """By the number's shortest text, as Java's BigDecimal.valueOf, which has no NaN.

    Raises:
        EvaluationError: NOT_FINITE, when evaluated.
    """
    dtype = to_polars(type)
    value = fail_where(
        ~value.is_finite(), value, value, dtype, "NOT_FINITE", lambda x: f"{x} can't be rounded"
    )
    known = value.map_batches(partial(_quickly, type, places, half), return_dtype=dtype)
    wide = decimal(38, 15)

    def by_text(held: pl.Expr) -> pl.Expr:
        moderate = pl.when(held.abs() < 1e15).then(held)
        cut = decimals.round_to(exact_text(moderate, wide), wide, max(places, -15), half=half)
        return pl.coalesce(cut.cast(dtype), held)

    return else_by(dtype, known, by_text, value)


def _quickly(type: DataType, places: int, half: bool, values: pl.Series) -> pl.Series:
    """Numbers whose rounded decimal has few digits, rounded; NULL for others."""
    exact = values.cast(pl.Float64).fill_null(math.nan).to_numpy()
    rounded, known = np.empty(len(exact)), np.zeros(len(exact), np.bool_)
    if abs(places) < _PLACES:
        round_reals(exact, places, half, type.root is Root.FLOAT, rounded, known)
    found = pl.Series(rounded).to_frame("x").select(pl.when(pl.Series(known)).then(pl.col("x")))
    return found.to_series().cast(to_polars(type))


_PLACES = 16
"""Powers of ten up to here are exact with one more."""


def _by_column(value: pl.Expr, places: pl.Expr, type: DataType, half: bool) -> pl.Expr:
    """As Flink where the places are no constant: in floating numbers.

    Raises:
        EvaluationError: NOT_FINITE, when evaluated.
    """
    dtype = to_polars(type)
    exact = value.cast(pl.Float64)
    by = pl.lit(10.0) ** places
    size = exact.abs() * by
    whole = (size + 0.5).floor() if half else size.floor()
    cut = pl.when(exact < 0).then(-whole / by).otherwise(whole / by)
    kept = pl.when(size.is_infinite()).then(exact).otherwise(cut)
    if type.root in INTEGERS:
        return kept.cast(dtype)
    finite = ~exact.is_finite()
    return fail_where(
        finite, kept.cast(dtype), value, dtype, "NOT_FINITE", lambda x: f"{x} can't be rounded"
    )


def _random(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    generator = np.random.default_rng(_seed(evaluation, 0))
    return pl.col(evaluation.now).map_batches(
        lambda rows: pl.Series(generator.random(len(rows))), return_dtype=pl.Float64
    )


def _random_integer(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    generator = np.random.default_rng(_seed(evaluation, 1))
    share = pl.col(evaluation.now).map_batches(
        lambda rows: pl.Series(generator.random(len(rows))), return_dtype=pl.Float64
    )
    return fail_where(
        args[-1] <= 0,
        (share * args[-1]).floor().cast(pl.Int32),
        args[-1],
        pl.Int32,
        "BAD_BOUND",
        lambda bound: f"RAND_INTEGER takes a bound above 0, not {bound}",
    )


def _seed(evaluation: Evaluation, least: int) -> int | None:
    if len(evaluation.operands) == least:
        return None
    value = evaluation.operands[0].value
    return abs(value) if isinstance(value, int) else None


_OCTETS = range(256)
_BITS = pl.Series([f"{octet:08b}" for octet in _OCTETS])
_PAIRS = pl.Series([f"{octet:02X}" for octet in _OCTETS])


def _spelled(value: pl.Expr, octets: pl.Series) -> pl.Expr:
    """The eight octets of a number, as a table writes them, without zeros before."""

    def spell(whole: pl.Expr) -> pl.Expr:
        pieces = [
            pl.lit(octets).gather((whole // 256**place) % 256) for place in reversed(range(8))
        ]
        digits = pl.concat_str(pieces).str.strip_chars_start("0")
        return pl.when(whole == 0).then(pl.lit("0")).otherwise(digits)

    return let(pl.String(), spell, value.cast(pl.Int64).reinterpret(signed=False))


def _hex(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    if evaluation.operands[0].type.root in CHARACTERS:
        return args[0].str.encode("hex").str.to_uppercase()
    return _spelled(args[0], _PAIRS)


def _whole(name: str, up: bool) -> Callable[[Evaluation, Sequence[pl.Expr]], pl.Expr]:
    def kernel(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
        type = evaluation.operands[0].type
        if type.root is Root.DECIMAL:
            return decimals.to_whole(args[0], type, up=up)
        if type.root in APPROXIMATE:
            return args[0].ceil() if up else args[0].floor()
        return args[0]

    return kernel


def whole_type(operands: Sequence[Operand]) -> DataType:
    """Type of FLOOR and CEIL of a number."""
    type = operands[0].type
    return decimal(type.precision or 0, 0) if type.root is Root.DECIMAL else type


floor_number = _whole("FLOOR", up=False)
ceil_number = _whole("CEIL", up=True)

MATHEMATICS = [
    ScalarFunction(name="ABS", infer=infer("ABS", (NUMBER,), result=first), kernel=_abs),
    ScalarFunction(name="SIGN", infer=infer("SIGN", (_LARGER,), result=first), kernel=_sign),
    ScalarFunction(
        name="ROUND",
        infer=infer("ROUND", (NUMBER,), (NUMBER, WHOLE), result=_rounded("ROUND")),
        kernel=lambda e, args: _round(e, args, half=True),
        fallible=True,
    ),
    ScalarFunction(
        name="TRUNCATE",
        infer=infer("TRUNCATE", (_LARGER,), (_LARGER, WHOLE), result=_rounded("TRUNCATE")),
        kernel=lambda e, args: _round(e, args, half=False),
        fallible=True,
    ),
    _real("POWER", lambda a, b: a**b, 2),
    _real("SQRT", lambda a: a.sqrt()),
    _real("EXP", lambda a: a.exp()),
    _real("LN", lambda a: a.log()),
    _real("LOG10", lambda a: a.log10()),
    _real("LOG2", lambda a: a.log(2)),
    _real("SIN", lambda a: a.sin()),
    _real("COS", lambda a: a.cos()),
    _real("TAN", lambda a: a.tan()),
    _real("COT", lambda a: 1 / a.tan()),
    _real("ASIN", lambda a: a.arcsin()),
    _real("ACOS", lambda a: a.arccos()),
    _real("ATAN", lambda a: a.arctan()),
    ScalarFunction(name="ATAN2", infer=_sides, kernel=lambda _, args: pl.arctan2(args[0], args[1])),
    _real("SINH", lambda a: a.sinh()),
    _real("COSH", lambda a: a.cosh()),
    _real("TANH", lambda a: a.tanh()),
    _real("DEGREES", lambda a: a.degrees()),
    _real("RADIANS", lambda a: a.radians()),
    _constant("PI", math.pi),
    _constant("E", math.e),
    ScalarFunction(
        name="LOG",
        infer=infer("LOG", (FLOATING,), (FLOATING, FLOATING), result=DOUBLE),
        kernel=_log,
    ),
    ScalarFunction(
        name="RAND",
        infer=infer("RAND", (), (WHOLE,), result=DOUBLE, nullable=False),
        kernel=_random,
        deterministic=False,
    ),
    ScalarFunction(
        name="RAND_INTEGER",
        infer=infer("RAND_INTEGER", (WHOLE,), (WHOLE, WHOLE), result=INT),
        kernel=_random_integer,
        deterministic=False,
        fallible=True,
    ),
    ScalarFunction(
        name="BIN",
        infer=infer("BIN", (LONG,), result=STRING),
        kernel=lambda _, args: _spelled(args[0], _BITS),
    ),
    ScalarFunction(name="HEX", infer=infer("HEX", (LONG,), (TEXT,), result=STRING), kernel=_hex),
]
