"""STRUCTURED values: rows with a name of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sameriver.common.types import DataType, Root, structured
from sameriver.functions.forms import ANY, CONSTANT, Family, Form, fit, wrong_arguments
from sameriver.functions.signature import Evaluation, Operand, Resolved, ScalarFunction

_Args = Sequence[pl.Expr]
_OBJECT = Family("<structured>", frozenset({Root.STRUCTURED}))


def _pairs(
    name: str, operands: Sequence[Operand], first: Family
) -> tuple[tuple[DataType, ...], dict[str, DataType]]:
    """Types of the parameters, and of the fields named.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    fields = max(len(operands) - 1, 0) // 2
    form: Form = (first, *(CONSTANT, ANY) * fields)
    parameters = fit(name, (form,), operands)
    names = [str(operand.value) for operand in operands[1::2]]
    if not names:
        raise wrong_arguments(name, operands, ((first, CONSTANT, ANY, ...),))
    if len(set(names)) < len(names):
        raise wrong_arguments(name, operands, (form,), hint="Each field may be named once.")
    return parameters, dict(zip(names, parameters[2::2], strict=True))


_RESERVED = frozenset((
    "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const",
    "continue", "default", "do", "double", "else", "enum", "extends", "final", "finally",
    "float", "for", "goto", "if", "implements", "import", "instanceof", "int", "interface",
    "long", "native", "new", "package", "private", "protected", "public", "return", "short",
    "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
    "transient", "try", "void", "volatile", "while", "true", "false", "null",
))  # fmt: skip
"""Words of Java that name no class."""


def _made_type(operands: Sequence[Operand]) -> Resolved:
    parameters, fields = _pairs("OBJECT_OF", operands, CONSTANT)
    class_name = str(operands[0].value)
    parts = class_name.split(".")
    if not all(part.isidentifier() and part not in _RESERVED for part in parts):
        raise wrong_arguments(
            "OBJECT_OF",
            operands,
            ((CONSTANT, CONSTANT, ANY, ...),),
            hint="Give the object a name as classes of Java have, such as 'com.example.User'.",
        )
    return Resolved(parameters, structured(class_name, fields.items()))


def _made(evaluation: Evaluation, args: _Args) -> pl.Expr:
    named = zip(evaluation.result.names, args[2::2], strict=True)
    return pl.struct([value.alias(name) for name, value in named])


def _changed_type(operands: Sequence[Operand]) -> Resolved:
    parameters, fields = _pairs("OBJECT_UPDATE", operands, _OBJECT)
    held = parameters[0]
    unknown = [name for name in fields if name not in held.names]
    if unknown:
        raise wrong_arguments(
            "OBJECT_UPDATE",
            operands,
            ((_OBJECT, CONSTANT, ANY, ...),),
            hint=f"Its fields: {', '.join(held.names)}.",
        )
    given = zip(held.names, held.children, strict=True)
    children = tuple(fields.get(name, type) for name, type in given)
    return Resolved(parameters, replace(held, children=children))


def _changed(evaluation: Evaluation, args: _Args) -> pl.Expr:
    names = [str(operand.value) for operand in evaluation.operands[1::2]]
    fields = [value.alias(name) for name, value in zip(names, args[2::2], strict=True)]
    return pl.when(args[0].is_not_null()).then(args[0].struct.with_fields(fields))


OBJECTS = [
    ScalarFunction(name="OBJECT_OF", infer=_made_type, kernel=_made),
    ScalarFunction(name="OBJECT_UPDATE", infer=_changed_type, kernel=_changed),
]
