"""How a function says what it takes: families of types, in one or more forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.types import (
    BIGINT,
    BINARIES,
    BOOLEAN,
    BYTES,
    CHARACTERS,
    DOUBLE,
    INT,
    INTEGERS,
    INTERVALS,
    NUMERIC,
    STRING,
    TIMESTAMPS,
    UNORDERED,
    DataType,
    Root,
)
from sameriver.functions.coercion import implicit_cast_allowed
from sameriver.functions.signature import Infer, Operand, Resolved


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of argument.

    Attributes:
        text: how messages write it.
        roots: what is taken as it is; empty: everything.
        default: what arguments that may be cast implicitly become.
        literal: whether it must be a literal.
        also: what else becomes the default.
        typed: whether a bare NULL, which has no type, may not stand here.
    """

    text: str
    roots: frozenset[Root] = frozenset()
    default: DataType | None = None
    literal: bool = False
    also: tuple[Root, ...] = ()
    typed: bool = False

    def parameter(self, operand: Operand) -> DataType | None:
        """The type the argument takes; None if it may not stand here."""
        given = operand.type
        untyped = self.typed and given.root is Root.NULL
        if untyped or (self.literal and not operand.is_literal):
            return None
        if not self.roots or given.root in self.roots:
            return given.plain
        if self.default is None:
            return None
        if given.root in self.also or implicit_cast_allowed(given, self.default):
            return self.default.with_nullable(given.nullable)
        return None


def _family(text: str, *roots: Root, default: DataType | None = None) -> Family:
    return Family(text, frozenset(roots), default)


ANY = Family("<any>")
PLAIN = Family("<any but array, map or row>", frozenset(Root) - frozenset(UNORDERED))
TEXT = _family("<string>", *CHARACTERS, default=STRING)
SHOWN = Family("<string or number>", frozenset(CHARACTERS), STRING, also=NUMERIC)
WHOLE = _family("<integer>", *INTEGERS, default=INT)
SHORT = _family("<int>", Root.TINYINT, Root.SMALLINT, Root.INT, default=INT)
LONG = _family("<bigint>", Root.BIGINT, default=BIGINT)
NUMBER = _family("<number>", *NUMERIC, default=INT)
FLOATING = _family("<number>", Root.DOUBLE, default=DOUBLE)
TRUTH = _family("<boolean>", Root.BOOLEAN, default=BOOLEAN)
BINARY = _family("<binary>", *BINARIES, default=BYTES)
TEXT_OR_BINARY = _family("<string or binary>", *CHARACTERS, *BINARIES, default=STRING)
MOMENT = _family("<timestamp>", *TIMESTAMPS)
DAY = _family("<date>", Root.DATE)
PLAIN_MOMENT = _family("<timestamp without zone>", Root.TIMESTAMP)
WALL = _family("<date or timestamp>", Root.DATE, Root.TIMESTAMP)
CLOCK = _family("<time>", Root.TIME)
INSTANT = _family("<timestamp_ltz>", Root.TIMESTAMP_LTZ)
TEMPORAL = _family("<date, time or timestamp>", Root.DATE, Root.TIME, *TIMESTAMPS)
INTERVAL = _family("<interval>", *INTERVALS)
LIST = _family("<array>", Root.ARRAY)
MAPPING = _family("<map>", Root.MAP)
SYMBOL = Family("<unit>", frozenset(CHARACTERS), literal=True)
CONSTANT = Family("<constant string>", frozenset(CHARACTERS), literal=True)

Form = tuple[Family | EllipsisType, ...]
"""Parameters in order; ``...`` at the end repeats the last one, any number of times."""


def infer(
    name: str,
    *forms: Form,
    result: DataType | Callable[[Sequence[Operand]], DataType],
    nullable: bool | None = None,
) -> Infer:
    """A signature: the first form that fits settles the parameters.

    ``nullable`` None: the result is nullable if an argument is.
    """

    def settle(operands: Sequence[Operand]) -> Resolved:
        parameters = fit(name, forms, operands)
        seen = [Operand(p, o.value) for p, o in zip(parameters, operands, strict=True)]
        type = result if isinstance(result, DataType) else result(seen)
        any_nullable = any(parameter.nullable for parameter in parameters)
        return Resolved(
            parameters, type.with_nullable(any_nullable if nullable is None else nullable)
        )

    return settle


def fit(name: str, forms: Sequence[Form], operands: Sequence[Operand]) -> tuple[DataType, ...]:
    """Types of the parameters by the first form that fits.

    Raises:
        UserError: WRONG_ARGUMENTS.
    """
    for form in forms:
        parameters = _fit(form, operands)
        if parameters is not None:
            return parameters
    raise wrong_arguments(name, operands, forms)


def _fit(form: Form, operands: Sequence[Operand]) -> tuple[DataType, ...] | None:
    families = [family for family in form if isinstance(family, Family)]
    if len(families) != len(form):
        families += [families[-1]] * (len(operands) - len(families))
    if len(families) != len(operands):
        return None
    parameters = [f.parameter(o) for f, o in zip(families, operands, strict=True)]
    settled = tuple(parameter for parameter in parameters if parameter is not None)
    return settled if len(settled) == len(operands) else None


def wrong_arguments(
    name: str, operands: Sequence[Operand], forms: Sequence[Form], *, hint: str = ""
) -> UserError:
    """WRONG_ARGUMENTS: names the function, what it got and what it takes."""
    given = ", ".join(operand.type.name for operand in operands)
    takes = " or ".join(_spelled(name, form) for form in forms)
    return UserError(
        "WRONG_ARGUMENTS",
        f"'{'-' if name == 'NEGATE' else name}' does not take ({given})",
        hint=hint or f"It takes {takes}{_cast_helps(operands, forms)}.",
    )


def _cast_helps(operands: Sequence[Operand], forms: Sequence[Form]) -> str:
    """No cast mends a wrong number of arguments."""
    fits = any(... in form or len(form) == len(operands) for form in forms)
    return "; use CAST where a type differs" if fits and operands else ""


def _spelled(name: str, form: Form) -> str:
    if name == "NEGATE":
        return "-" + ", ".join("..." if family is ... else family.text for family in form)
    words = ["..." if family is ... else family.text for family in form]
    if len(words) == 2 and not name[0].isalpha():
        return f"{words[0]} {name} {words[1]}"
    return f"{name}({', '.join(words)})"


def first(operands: Sequence[Operand]) -> DataType:
    """Result rule: the type of the first argument."""
    return operands[0].type
