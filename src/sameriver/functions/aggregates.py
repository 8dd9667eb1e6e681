"""Signatures of the aggregate functions, with Flink's result types.

``infer`` gives the type in a GROUP BY with keys and without FILTER: nullable as the argument is.
``aggregate_type`` makes it what the query gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sameriver.common.types import (
    BIGINT,
    BINARIES,
    DOUBLE,
    NUMERIC,
    STRING,
    UNORDERED,
    DataType,
    Root,
    array,
    multiset,
)
from sameriver.functions import decimals
from sameriver.functions.forms import (
    ANY,
    CONSTANT,
    NUMBER,
    TEXT,
    Family,
    Form,
    first,
    infer,
    wrong_arguments,
)
from sameriver.functions.signature import AggregateFunction, Infer, Operand, Resolved

_ORDERED = Family(
    "<any but array, map, row or binary>",
    frozenset(Root) - {*UNORDERED, *BINARIES, Root.DESCRIPTOR},
)
_NEVER_NULL = frozenset({"COUNT", "COLLECT"})


def aggregate_type(name: str, operands: Sequence[Operand], *, empty: bool) -> DataType:
    """Result type of a call; ``empty``: it may see no row (no keys, or a FILTER).

    Raises:
        UserError: UNKNOWN or WRONG_ARGUMENTS by the function's ``infer``.
    """
    function = next(f for f in AGGREGATES if name in (f.name, *f.aliases))
    result = function.infer(operands).result
    return result.with_nullable(True) if empty and name not in _NEVER_NULL else result


def _number(of_decimal: Callable[[DataType], DataType]) -> Callable[[Sequence[Operand]], DataType]:
    def result(operands: Sequence[Operand]) -> DataType:
        type = operands[0].type
        return of_decimal(type) if type.root is Root.DECIMAL else type

    return result


def _deviation(operands: Sequence[Operand]) -> DataType:
    """STDDEV and VAR keep the type of AVG."""
    type = operands[0].type
    if type.root is Root.DECIMAL:
        return decimals.average_type(type)
    return type if type.root in NUMERIC else DOUBLE


def _count(operands: Sequence[Operand]) -> Resolved:
    if len(operands) > 1:
        raise wrong_arguments(
            "COUNT",
            operands,
            ((ANY,),),
            hint="Count one column at a time.",
        )
    return Resolved(tuple(operand.type.plain for operand in operands), BIGINT.not_null)


def _unary(
    name: str,
    form: Form,
    result: Callable[[Sequence[Operand]], DataType],
    *aliases: str,
    nullable: bool | None = None,
) -> AggregateFunction:
    return AggregateFunction(
        name=name, infer=infer(name, form, result=result, nullable=nullable), aliases=aliases
    )


def _list(name: str) -> Infer:
    return infer(name, (TEXT,), (TEXT, CONSTANT), result=STRING)


AGGREGATES = [
    AggregateFunction(name="COUNT", infer=_count),
    _unary("SUM", (NUMBER,), _number(decimals.total_type)),
    _unary("AVG", (NUMBER,), _number(decimals.average_type)),
    _unary("MIN", (_ORDERED,), first),
    _unary("MAX", (_ORDERED,), first),
    _unary("FIRST_VALUE", (ANY,), first),
    _unary("LAST_VALUE", (ANY,), first),
    _unary("STDDEV_POP", (NUMBER,), _deviation),
    _unary("STDDEV_SAMP", (NUMBER,), _deviation, "STDDEV"),
    _unary("VAR_POP", (NUMBER,), _deviation),
    _unary("VAR_SAMP", (NUMBER,), _deviation, "VARIANCE"),
    _unary("COLLECT", (ANY,), lambda o: multiset(o[0].type), nullable=False),
    _unary("ARRAY_AGG", (ANY,), lambda o: array(o[0].type)),
    AggregateFunction(name="LISTAGG", infer=_list("LISTAGG")),
]
