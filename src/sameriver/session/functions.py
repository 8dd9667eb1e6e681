"""Functions in Python: the decorators that declare them, and CREATE FUNCTION."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sameriver.common.errors import UserError, nearest
from sameriver.common.types import DataType, Root, roots
from sameriver.functions.python import PythonFunction
from sameriver.sql import parse_type
from sameriver.sql.statements import CreateFunction

SqlType = str | DataType
"""A type as SQL text, such as ``"DECIMAL(10, 2)"``, or as an object."""
Decorate = Callable[[Callable[..., Any]], PythonFunction]

_LANGUAGE_HINT = "Write the function in Python: AS 'module.name' LANGUAGE PYTHON."


def udf(
    *,
    result_type: SqlType,
    input_types: Sequence[SqlType] | SqlType | None = None,
    deterministic: bool = True,
    name: str | None = None,
    func_type: str = "general",
) -> Decorate:
    """Declares a scalar function.

    Args:
        result_type: type of its result.
        input_types: types of its parameters, to which arguments are cast where SQL casts by
            itself; None: it takes whatever it is called with.
        deterministic: False if the same arguments may give other results.
        name: for messages; the function's own name if None.
        func_type: ``general``: called with values, once a row; ``vectorised``: called with Polars
            Series, once a batch, and gives one of the same length.

    Raises:
        UserError: SYNTAX, UNKNOWN_TYPE, BAD_TYPE; BAD_OPTION for another ``func_type``.

    Example:
        >>> @udf(result_type="BIGINT", input_types=["BIGINT"])
        ... def double(n):
        ...     return None if n is None else 2 * n
        >>> double(4)
        8
    """
    if func_type not in ("general", "vectorised"):
        raise UserError(
            "BAD_OPTION",
            f"there is no func_type '{func_type}'",
            hint="Use 'general' (values) or 'vectorised' (Polars Series).",
        )

    def decorate(call: Callable[..., Any]) -> PythonFunction:
        return PythonFunction(
            name=name or _name(call),
            call=_callable(call),
            inputs=_types(input_types),
            result=_result(result_type),
            vectorised=func_type == "vectorised",
            deterministic=deterministic,
        )

    return decorate


def udtf(
    *,
    result_types: Sequence[SqlType] | SqlType,
    input_types: Sequence[SqlType] | SqlType | None = None,
    deterministic: bool = True,
    name: str | None = None,
) -> Decorate:
    """Declares a table function, which yields rows.

    Args:
        result_types: types of its columns (named f0, f1, ...), or one ROW type, whose fields name
            the columns.
        input_types: as for ``udf``.
        deterministic: False if the same arguments may give other rows.
        name: for messages; the function's own name if None.

    Raises:
        UserError: SYNTAX, UNKNOWN_TYPE, BAD_TYPE.

    Example:
        >>> @udtf(result_types="ROW<word STRING, length INT>")
        ... def words(text):
        ...     for word in (text or "").split():
        ...         yield word, len(word)
        >>> list(words("to be"))
        [('to', 2), ('be', 2)]
    """

    def decorate(call: Callable[..., Any]) -> PythonFunction:
        types = tuple(map(_result, _types(result_types) or ()))
        columns = tuple((f"f{place}", type) for place, type in enumerate(types))
        if len(types) == 1 and types[0].root is Root.ROW:
            columns = tuple(zip(types[0].names, types[0].children, strict=True))
        return PythonFunction(
            name=name or _name(call),
            call=_callable(call),
            inputs=_types(input_types),
            columns=columns,
            deterministic=deterministic,
        )

    return decorate


def udaf(
    *,
    result_type: SqlType,
    input_types: Sequence[SqlType] | SqlType | None = None,
    name: str | None = None,
) -> Callable[[Any], PythonFunction]:
    """Declares an aggregate function: a class, or an object, with PyFlink's methods.

    ``create_accumulator()`` gives what a group starts with: lists, dicts with text keys, numbers,
    text, booleans and None, since it is kept as JSON. ``accumulate(accumulator, *args)`` changes
    it; ``retract(accumulator, *args)`` takes that back, where rows are; ``merge(accumulator,
    others)`` adds others, for windows that share rows; ``get_value(accumulator)`` is the result.

    Args:
        result_type: type of the result.
        input_types: as for ``udf``.
        name: for messages; the name of the class if None.

    Raises:
        UserError: SYNTAX, UNKNOWN_TYPE, BAD_TYPE; NOT_A_FUNCTION if a method is missing.

    Example:
        >>> @udaf(result_type="BIGINT", input_types=["BIGINT"])
        ... class Product:
        ...     def create_accumulator(self):
        ...         return [1]
        ...     def accumulate(self, accumulator, n):
        ...         accumulator[0] *= n
        ...     def get_value(self, accumulator):
        ...         return accumulator[0]
    """

    def decorate(given: Any) -> PythonFunction:
        aggregate = given() if isinstance(given, type) else given
        for method in ("create_accumulator", "accumulate", "get_value"):
            if not callable(getattr(aggregate, method, None)):
                raise UserError(
                    "NOT_A_FUNCTION",
                    f"'{_name(given)}' has no method '{method}'",
                    hint="An aggregate needs create_accumulator, accumulate and get_value.",
                )
        return PythonFunction(
            name=name or _name(given),
            call=aggregate.accumulate,
            inputs=_types(input_types),
            result=_result(result_type).with_nullable(True),
            aggregate=aggregate,
        )

    return decorate


def _name(call: object) -> str:
    return str(getattr(call, "__name__", type(call).__name__))


def _callable(call: object) -> Callable[..., Any]:
    """A function, or an object with ``eval`` as in PyFlink."""
    found = getattr(call, "eval", call)
    if callable(found):
        return cast("Callable[..., Any]", found)
    raise UserError(
        "NOT_A_FUNCTION",
        f"a '{type(call).__name__}' can't be called",
        hint="Decorate a function, or an object with a method 'eval'.",
    )


def _types(given: Sequence[SqlType] | SqlType | None) -> tuple[DataType, ...] | None:
    if given is None:
        return None
    if isinstance(given, str | DataType):
        given = [given]
    return tuple(_type(one) for one in given)


def _type(given: SqlType) -> DataType:
    return given if isinstance(given, DataType) else parse_type(given)


def _result(given: SqlType) -> DataType:
    """The type of what a function gives.

    Raises:
        UserError: UNSUPPORTED_TYPE for values that only SQL makes in the one form they are held.
    """
    type = _type(given)
    made = next((root for root in roots(type) if root in _MADE), None)
    if made is not None:
        raise UserError(
            "UNSUPPORTED_TYPE", f"a function in Python can't give a {type.name}", hint=_MADE[made]
        )
    return type


_MADE = {
    Root.BITMAP: "Give ARRAY<INT>, and make a bitmap of it in SQL: BITMAP_BUILD(f(x)).",
    Root.VARIANT: "Give JSON text as STRING, and read it in SQL: PARSE_JSON(f(x)).",
}


def check_function(function: object, name: str) -> PythonFunction:
    """The function, if it is declared.

    Raises:
        UserError: NOT_A_FUNCTION.
    """
    if isinstance(function, PythonFunction):
        return function
    raise UserError(
        "NOT_A_FUNCTION",
        f"'{name}' is a {type(function).__name__} without SQL types",
        hint="Decorate it: @udf(result_type='...'), @udtf(result_types=[...]) or @udaf(...).",
    )


def imported(create: CreateFunction) -> PythonFunction:
    """The function that CREATE FUNCTION names; modules of the current folder are found too.

    Raises:
        UserError: UNSUPPORTED for other languages, UNKNOWN_PYTHON_FUNCTION, NOT_A_FUNCTION.
    """
    if create.language != "PYTHON":
        raise UserError(
            "UNSUPPORTED",
            f"function '{create.name}' is in {create.language}, which can't run here",
            hint=_LANGUAGE_HINT,
            position=create.position,
        )
    module, _, name = create.identifier.rpartition(".")
    if not module:
        raise _unknown(create, f"'{create.identifier}' names no module", _LANGUAGE_HINT)
    try:
        with _current_folder():
            loaded = importlib.import_module(module)
    except Exception as error:
        raise _unknown(
            create,
            f"module '{module}' can't be imported: {type(error).__name__}: {error}",
            "Modules are looked for in the current folder and on PYTHONPATH.",
        ) from error
    if not hasattr(loaded, name):
        known = [n for n, item in vars(loaded).items() if isinstance(item, PythonFunction)]
        raise _unknown(
            create,
            f"module '{module}' has no '{name}'",
            nearest(name, known) or "Functions that SQL can call are decorated with @udf or @udtf.",
        )
    try:
        return check_function(getattr(loaded, name), create.identifier)
    except UserError as error:
        raise error.at(create.position) from None


def _unknown(create: CreateFunction, problem: str, hint: str) -> UserError:
    return UserError("UNKNOWN_PYTHON_FUNCTION", problem, hint=hint, position=create.position)


@contextmanager
def _current_folder() -> Iterator[None]:
    """Lets imports see the current folder, after everything else."""
    folder = str(Path.cwd())
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
