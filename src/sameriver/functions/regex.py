"""LIKE, SIMILAR TO and regular expressions.

Patterns run in Polars, one after the other where a column holds several. What its engine lacks
(look-around, back references), and columns of many patterns, run in Python, once for each distinct
combination of arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import polars as pl

from sameriver.common.types import BOOLEAN, INT, STRING, DataType, array, to_polars
from sameriver.functions.by_constant import by_constant
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import EvaluationError, failure
from sameriver.functions.forms import TEXT, WHOLE, Form, infer, wrong_arguments
from sameriver.functions.signature import Evaluation, Kernel, Operand, Resolved, ScalarFunction

_Args = Sequence[pl.Expr]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """``pattern`` for Python.

    Raises:
        EvaluationError: BAD_PATTERN.
    """
    try:
        return re.compile(_python_classes(ascii_classes(pattern)))
    except re.error as error:
        raise failure("BAD_PATTERN", f"'{pattern}' is no regular expression: {error}") from None


def _valid(pattern: str) -> bool:
    try:
        _compiled(pattern)
    except EvaluationError:
        return False
    return True


@lru_cache(maxsize=256)
def _fast(pattern: str) -> bool:
    """Whether Polars understands the pattern, with the meaning it has in Java."""
    if not pattern.isascii() or re.search(r"\\[dDwWsSbB]", pattern):
        pattern = ascii_classes(pattern)
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError:
        return False
    return True


_CLASSES = {
    "L": r"[^\W\d_]", "IsAlphabetic": r"[^\W\d_]", "Alpha": "[A-Za-z]", "Upper": "[A-Z]",
    "Lower": "[a-z]", "Digit": "[0-9]", "Alnum": "[A-Za-z0-9]", "Space": r"[ \t\n\x0B\f\r]",
    "Punct": r"[!-/:-@\[-`{-~]", "N": r"\d", "Nd": r"\d",
}  # fmt: skip


def _python_classes(pattern: str) -> str:
    """``\\p{Alpha}`` and the like, as Python writes them; what it lacks stays, and is refused."""
    return re.sub(r"\\p\{(\w+)\}", lambda found: _CLASSES.get(found[1], found[0]), pattern)


def ascii_classes(pattern: str) -> str:
    r"""``\d``, ``\w`` and ``\s`` mean ASCII in Java."""
    classes = {"d": "0-9", "w": "A-Za-z0-9_", "s": r" \t\n\x0B\f\r"}

    def spelled(match: re.Match[str]) -> str:
        letter = match.group(1)
        inside = classes.get(letter.lower())
        if inside is None or match.start() in _in_brackets(pattern):
            return match.group(0)
        return f"[^{inside}]" if letter.isupper() else f"[{inside}]"

    return re.sub(r"\\(.)", spelled, pattern, flags=re.DOTALL)


def _in_brackets(pattern: str) -> set[int]:
    """Positions within ``[...]``."""
    found: set[int] = set()
    depth, position = 0, 0
    while position < len(pattern):
        letter = pattern[position]
        if depth:
            found.add(position)
        if letter == "\\":
            position += 1
        elif letter == "[":
            depth += 1
        elif letter == "]" and depth:
            depth -= 1
        position += 1
    return found


def _literal(evaluation: Evaluation, position: int) -> str | None:
    if position >= len(evaluation.operands):
        return None
    value = evaluation.operands[position].value
    return value if isinstance(value, str) else None


def like_pattern(pattern: str, escape: str | None) -> str:
    """The regular expression of a LIKE pattern.

    Raises:
        EvaluationError: BAD_PATTERN.
    """
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            following = next(letters, "")
            if following not in ("%", "_", escape):
                raise failure("BAD_PATTERN", f"'{pattern}' escapes what needs no escape")
            parts.append(re.escape(following))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter) or re.escape(letter))
    return f"(?s)^{''.join(parts)}$"


def similar_pattern(pattern: str, escape: str | None) -> str:
    """The regular expression of a SIMILAR TO pattern; other letters mean what they mean there."""
    pattern = re.sub(r"\[:([A-Z]+):\]", lambda found: _named(found[1]), pattern)
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            parts.append(re.escape(next(letters, "")))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter, letter))
    return f"(?s)^(?:{''.join(parts)})$"


def _named(name: str) -> str:
    """``[:ALPHA:]`` within brackets."""
    known = {"ALPHA": "A-Za-z", "DIGIT": "0-9", "UPPER": "A-Z", "LOWER": "a-z", "SPACE": " ",
             "ALNUM": "A-Za-z0-9", "WHITESPACE": r"\s"}  # fmt: skip
    return known.get(name, f"[:{name}:]")


def _matcher(translate: Callable[[str, str | None], str]) -> Kernel:
    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        pattern, escape = _literal(evaluation, 1), _literal(evaluation, 2)
        if pattern is not None and (len(args) == 2 or escape is not None):
            plain = _plain(args[0], pattern) if translate is like_pattern and not escape else None
            return _contains(args[0], translate(pattern, escape)) if plain is None else plain

        def matches(value: str, shape: str, mark: str | None = None) -> bool:
            return _compiled(translate(shape, mark)).search(value) is not None

        return by_distinct(matches, pl.Boolean, *args)

    return kernel


def _plain(value: pl.Expr, pattern: str) -> pl.Expr | None:
    """LIKE without a regular expression: ``a%``, ``%a``, ``%a%``, ``a``."""
    core = pattern.strip("%")
    if not core or "_" in core or "%" in core:
        return None
    before, after = pattern.startswith("%"), pattern.endswith("%")
    if before and after:
        return value.str.contains(core, literal=True)
    if before or after:
        return value.str.ends_with(core) if before else value.str.starts_with(core)
    return value == core


def _contains(value: pl.Expr, pattern: str) -> pl.Expr:
    if _fast(pattern):
        return value.str.contains(ascii_classes(pattern))
    return by_distinct(lambda s: _compiled(pattern).search(s) is not None, pl.Boolean, value)


def _regexp(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """A pattern that is empty or malformed matches nothing, as in Flink."""
    pattern = _literal(evaluation, 1)
    if pattern is None:
        return by_distinct(_found, pl.Boolean, *args)
    if pattern and (_fast(pattern) or _valid(pattern)):
        return _contains(args[0], pattern)
    return pl.when(args[0].is_not_null()).then(pl.lit(False))


def _found(value: str, pattern: str) -> bool:
    return bool(pattern) and _valid(pattern) and _compiled(pattern).search(value) is not None


def _extract(evaluation: Evaluation, args: _Args) -> pl.Expr:
    pattern = _constant(evaluation, args)
    group = evaluation.operands[2].value if len(args) == 3 else 0
    if pattern is None or not isinstance(group, int):
        return by_distinct(_group, pl.String, *args)
    if not 0 <= group <= _compiled(pattern).groups:
        return pl.when(False).then(args[0])
    return args[0].str.extract(pattern, group)


def _group(value: str, pattern: str, group: int = 0) -> str | None:
    """NULL without a match, and as in Flink for a malformed pattern."""
    if not _valid(pattern):
        return None
    compiled = _compiled(pattern)
    found = compiled.search(value)
    return found.group(group) if found and 0 <= group <= compiled.groups else None


def _replace(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """The replacement is taken literally, as Flink does.

    A malformed pattern gives NULL, so it is an error where the result is NOT NULL, as in Flink.
    """
    pattern, by = _literal(evaluation, 1), _literal(evaluation, 2)
    if pattern is not None and by is not None and _fast(pattern):
        return args[0].str.replace_all(ascii_classes(pattern), by.replace("$", "$$"))
    return by_distinct(partial(_replaced, evaluation.result.nullable), pl.String, *args)


def _replaced(nullable: bool, value: str, pattern: str, by: str) -> str | None:
    if not _valid(pattern):
        if nullable:
            return None
        raise failure("BAD_PATTERN", f"'{pattern}' is no regular expression")
    return _compiled(pattern).sub(lambda _: by, value)


def _constant(evaluation: Evaluation, args: _Args) -> str | None:
    """A constant pattern that Polars runs, as it writes it; and the group is constant, if any."""
    pattern = _literal(evaluation, 1)
    group = evaluation.operands[2].value if len(args) == 3 else 0
    if pattern is None or not isinstance(group, int) or not (_fast(pattern) and _valid(pattern)):
        return None
    return ascii_classes(pattern)


def _never_empty(pattern: str) -> bool:
    """Whether the pattern finds no empty text, and finds the same wherever the text stands.

    Rust does not look for empty text right behind what was found, as Java does.
    """
    return not re.search(r"[$^]|\\[bBAzZ]|\(\?", pattern) and not _compiled(pattern).fullmatch("")


def _counted(evaluation: Evaluation, args: _Args) -> pl.Expr:
    pattern = _constant(evaluation, args)
    if pattern is not None and _never_empty(pattern):
        return args[0].str.count_matches(pattern).cast(pl.Int32)
    return by_distinct(_count, pl.Int32, *args)


def _placed(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Letters before the first match, and one; 0 without a match."""
    pattern = _constant(evaluation, args)
    if pattern is None:
        return by_distinct(_where, pl.Int32, *args)
    offset = args[0].str.find(pattern)
    before = args[0].cast(pl.Binary).bin.slice(0, offset).cast(pl.String)
    place = pl.when(offset.is_null()).then(0).otherwise(before.str.len_chars() + 1)
    return pl.when(args[0].is_not_null()).then(place.cast(pl.Int32))


def _every(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """A group of each match, the first unless it is said."""
    pattern = _constant(evaluation, args)
    group = evaluation.operands[2].value if len(args) == 3 else 1
    if pattern is None or not isinstance(group, int) or not _never_empty(pattern):
        return by_distinct(_all, to_polars(evaluation.result), *args)
    if not 0 <= group <= _compiled(pattern).groups:
        return pl.when(False).then(args[0].str.extract_all(pattern))
    found = args[0].str.extract_all(pattern)
    return found.list.eval(pl.element().str.extract(pattern, group)) if group else found


def _all(value: str, pattern: str, group: int = 1) -> list[str | None] | None:
    if not _valid(pattern):
        return None
    compiled = _compiled(pattern)
    if not 0 <= group <= compiled.groups:
        return None
    return [found.group(group) for found in compiled.finditer(value)]


def _where(value: str, pattern: str) -> int | None:
    if not _valid(pattern):
        return None
    found = _compiled(pattern).search(value)
    return found.start() + 1 if found else 0


def _count(value: str, pattern: str) -> int | None:
    if not _valid(pattern):
        return None
    return sum(1 for _ in _compiled(pattern).finditer(value))


def _function(
    name: str,
    forms: tuple[Form, ...],
    kernel: Kernel,
    result: DataType,
    *aliases: str,
    nullable: bool | None = None,
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=result, nullable=nullable),
        kernel=by_constant(kernel),
        fallible=True,
        aliases=aliases,
    )


_PAIR: Form = (TEXT, TEXT)
_TRIPLE: Form = (TEXT, TEXT, TEXT)
_INDEXED: Form = (TEXT, TEXT, WHOLE)


def _like_types(operands: Sequence[Operand]) -> Resolved:
    """Constant patterns are checked here."""
    resolved = infer("LIKE", _PAIR, _TRIPLE, result=BOOLEAN)(operands)
    pattern, *escape = (operand.value for operand in operands[1:])
    mark = escape[0] if escape else None
    if isinstance(mark, str) and len(mark) != 1:
        raise wrong_arguments("LIKE", operands, (_PAIR, _TRIPLE), hint="ESCAPE takes one letter.")
    if isinstance(pattern, str) and isinstance(mark, str):
        try:
            like_pattern(pattern, mark)
        except EvaluationError as error:
            raise wrong_arguments("LIKE", operands, (_PAIR, _TRIPLE), hint=error.message) from None
    return resolved


REGEX = [
    ScalarFunction(
        name="LIKE", infer=_like_types, kernel=by_constant(_matcher(like_pattern)), fallible=True
    ),
    _function("SIMILAR TO", (_PAIR, _TRIPLE), _matcher(similar_pattern), BOOLEAN),
    _function("REGEXP", (_PAIR,), _regexp, BOOLEAN),
    _function("REGEXP_EXTRACT", (_PAIR, _INDEXED), _extract, STRING, nullable=True),
    _function("REGEXP_REPLACE", (_TRIPLE,), _replace, STRING),
    _function("REGEXP_COUNT", (_PAIR,), _counted, INT, nullable=True),
    _function("REGEXP_INSTR", (_PAIR,), _placed, INT, nullable=True),
    _function("REGEXP_SUBSTR", (_PAIR,), _extract, STRING, nullable=True),
    _function("REGEXP_EXTRACT_ALL", (_PAIR, _INDEXED), _every, array(STRING), nullable=True),
]
