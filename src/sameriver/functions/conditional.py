"""CASE, IF, COALESCE and their like."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import polars as pl

from sameriver.common.types import (
    APPROXIMATE,
    BOOLEAN,
    CHARACTERS,
    INTERVALS,
    TIMESTAMPS,
    UNORDERED,
    DataType,
    Root,
    to_polars,
)
from sameriver.functions.coercion import (
    chosen_type,
    comparable,
    first_known_type,
    zoned_type,
)
from sameriver.functions.comparison import apart, incomparable, side
from sameriver.functions.forms import ANY, SHOWN, TRUTH, Form, infer, wrong_arguments
from sameriver.functions.signature import Evaluation, Infer, Operand, Resolved, ScalarFunction
from sameriver.functions.zones import to_wall

_TYPED = "Give NULL a type: CAST(NULL AS STRING)."


def _branches(name: str, operands: Sequence[Operand], forms: Sequence[Form]) -> Resolved:
    """Types of condition, value, condition, value, ..., else."""
    if len(operands) < 3 or len(operands) % 2 == 0:
        raise wrong_arguments(name, operands, forms)
    conditions, values = operands[:-1:2], [*operands[1::2], operands[-1]]
    result = chosen_type([value.type for value in values])
    if result is None or any(TRUTH.parameter(c) is None for c in conditions):
        raise wrong_arguments(
            name, operands, forms, hint="CAST the values to one type; conditions are BOOLEAN."
        )
    if result.root is Root.NULL:
        raise wrong_arguments(name, operands, forms, hint=_TYPED)
    parameters: list[DataType] = []
    for condition, value in zip(conditions, values, strict=False):
        parameters += [
            BOOLEAN.with_nullable(condition.type.nullable),
            result.with_nullable(value.type.nullable),
        ]
    parameters.append(result.with_nullable(operands[-1].type.nullable))
    return Resolved(tuple(parameters), result)


def _case(operands: Sequence[Operand]) -> Resolved:
    return _branches("CASE", operands, ((TRUTH, ANY, ANY),))


def _if(operands: Sequence[Operand]) -> Resolved:
    form: Form = (TRUTH, ANY, ANY)
    if len(operands) != 3:
        raise wrong_arguments("IF", operands, (form,))
    resolved = _branches("IF", operands, (form,))
    if resolved.result.root in (*UNORDERED, *INTERVALS, Root.BITMAP, Root.VARIANT):
        raise wrong_arguments("IF", operands, (form,), hint="Write CASE WHEN ... THEN ... END.")
    result = resolved.result
    if {operand.type.root for operand in operands[1:]} == set(TIMESTAMPS):
        # The first one's, whatever the precision of the other.
        result = operands[1].type.plain
    nullable = any(operand.type.nullable for operand in operands)
    parameters = (
        resolved.parameters[0],
        *(result.with_nullable(o.type.nullable) for o in operands[1:]),
    )
    return Resolved(parameters, result.with_nullable(nullable))


def choose(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    """The value behind the first true condition, else the last."""
    chosen = args[-1]
    for position in range(len(args) - 3, -1, -2):
        chosen = pl.when(args[position]).then(args[position + 1]).otherwise(chosen)
    return chosen.cast(to_polars(evaluation.result))


def _first_known(name: str) -> Infer:
    def settle(operands: Sequence[Operand]) -> Resolved:
        result = first_known_type([operand.type for operand in operands])
        if result is None or not operands or (name == "IFNULL" and len(operands) != 2):
            raise wrong_arguments(name, operands, ((ANY, ANY, ...),))
        if result.root is Root.NULL:
            raise wrong_arguments(name, operands, ((ANY, ANY, ...),), hint=_TYPED)
        parameters = tuple(result.with_nullable(operand.type.nullable) for operand in operands)
        nullable = all(operand.type.nullable for operand in operands)
        return Resolved(parameters, result.with_nullable(nullable))

    return settle


def _nullif(operands: Sequence[Operand]) -> Resolved:
    if len(operands) != 2:
        raise wrong_arguments("NULLIF", operands, ((ANY, ANY),))
    left, right = (operand.type.plain for operand in operands)
    if left.root is Root.NULL:
        raise wrong_arguments("NULLIF", operands, ((ANY, ANY),), hint=_TYPED)
    if not apart(left, right) and comparable(left, right, equality=True) is None:
        raise incomparable("NULLIF", operands)
    return Resolved((left, right), left.with_nullable(True))


def _null_where_equal(evaluation: Evaluation, args: Sequence[pl.Expr]) -> pl.Expr:
    left, right = args
    types = [operand.type for operand in evaluation.operands]
    if apart(*types):
        return left
    if {type.root for type in types} == set(TIMESTAMPS):
        sides = (
            to_wall(arg, evaluation.zone) if type.root is Root.TIMESTAMP_LTZ else arg
            for arg, type in zip(args, types, strict=True)
        )
        return pl.when(~operator.eq(*sides).fill_null(False)).then(left)
    return pl.when((left == right).fill_null(False)).then(None).otherwise(left)


def _extreme(name: str) -> Infer:
    def settle(operands: Sequence[Operand]) -> Resolved:
        result = zoned_type([operand.type for operand in operands])
        if result is None or result.children or not operands:
            raise wrong_arguments(name, operands, ((ANY, ANY, ...),))
        return Resolved(tuple(side(o.type.plain, result) for o in operands), result)

    return settle


def _extreme_kernel(evaluation: Evaluation, args: Sequence[pl.Expr], *, most: bool) -> pl.Expr:
    unknown = pl.any_horizontal([arg.is_null() for arg in args])
    best = pl.max_horizontal(*args) if most else pl.min_horizontal(*args)
    if evaluation.result.root in (*CHARACTERS, *APPROXIMATE, Root.BINARY):
        best = args[0]
        for arg in args[1:]:
            better = arg > best if most else arg < best
            best = pl.when(better).then(arg).otherwise(best)
    return pl.when(~unknown).then(best)


_DECIMAL = r"^\s*[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?)\s*$"
"""What Java reads as a number."""


def _matches(name: str, pattern: str) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (SHOWN,), result=BOOLEAN, nullable=False),
        kernel=lambda _, args: args[0].str.contains(pattern).fill_null(False),
    )


CONDITIONAL = [
    ScalarFunction(name="CASE", infer=_case, kernel=choose),
    ScalarFunction(name="IF", infer=_if, kernel=choose),
    ScalarFunction(
        name="COALESCE",
        infer=_first_known("COALESCE"),
        kernel=lambda _, args: pl.coalesce(*args),
    ),
    ScalarFunction(
        name="IFNULL", infer=_first_known("IFNULL"), kernel=lambda _, args: pl.coalesce(*args)
    ),
    ScalarFunction(name="NULLIF", infer=_nullif, kernel=_null_where_equal),
    ScalarFunction(
        name="GREATEST",
        infer=_extreme("GREATEST"),
        kernel=lambda e, args: _extreme_kernel(e, args, most=True),
    ),
    ScalarFunction(
        name="LEAST",
        infer=_extreme("LEAST"),
        kernel=lambda e, args: _extreme_kernel(e, args, most=False),
    ),
    _matches("IS_ALPHA", r"^\p{L}+$"),
    _matches("IS_DIGIT", r"^\p{Nd}+$"),
    _matches("IS_DECIMAL", _DECIMAL),
]
