"""Signatures of the functions that only OVER windows have, with Flink's result types."""

from __future__ import annotations

from collections.abc import Sequence

from sameriver.common.types import BIGINT, DOUBLE, INT, DataType
from sameriver.functions.coercion import common_type
from sameriver.functions.forms import ANY, WHOLE, fit, infer, wrong_arguments
from sameriver.functions.signature import AggregateFunction, Infer, Operand, Resolved


def _ranking(name: str, result: DataType) -> AggregateFunction:
    return AggregateFunction(name=name, infer=infer(name, (), result=result, nullable=False))


def _shift(name: str) -> Infer:
    """LAG and LEAD: the value of another row; NULL, or the default, where there is none."""
    forms = ((ANY,), (ANY, WHOLE), (ANY, WHOLE, ANY))

    def settle(operands: Sequence[Operand]) -> Resolved:
        parameters = fit(name, forms, operands)
        if len(parameters) < 3:
            return Resolved(parameters, parameters[0].with_nullable(True))
        common = common_type([parameters[0], parameters[2]])
        if common is None:
            raise wrong_arguments(
                name, operands, forms, hint="The default must have the type of the value: CAST it."
            )
        value, default = (common.with_nullable(parameters[i].nullable) for i in (0, 2))
        nullable = value.nullable or default.nullable
        return Resolved((value, parameters[1], default), common.with_nullable(nullable))

    return settle


RANKING = [
    _ranking("ROW_NUMBER", BIGINT),
    _ranking("RANK", BIGINT),
    _ranking("DENSE_RANK", BIGINT),
    _ranking("PERCENT_RANK", DOUBLE),
    _ranking("CUME_DIST", DOUBLE),
    AggregateFunction(name="NTILE", infer=infer("NTILE", (WHOLE,), result=INT, nullable=False)),
    AggregateFunction(name="LAG", infer=_shift("LAG")),
    AggregateFunction(name="LEAD", infer=_shift("LEAD")),
]
