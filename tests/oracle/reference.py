"""Writes docs/reference/functions.md from the registry and the oracle's answers.

``cd tests && python -m oracle.reference``. A test fails while the page is stale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from json import dumps
from typing import Any
from unittest.mock import patch

from sameriver import functions
from sameriver.common.errors import SameriverError, UserError
from sameriver.common.types import DataType, Root
from sameriver.common.zones import zone_named
from sameriver.functions import distinct
from sameriver.functions.aggregates import AGGREGATES
from sameriver.functions.ranking import RANKING
from sameriver.functions.signature import AggregateFunction, Operand, ScalarFunction
from sameriver.operators.compile import compile_expression
from sameriver.plan.expressions import Call, Literal, walk
from sameriver.sql.relations import PROCESS

from .asking import bind, edge
from .questions import DIFFERENCES, HERE, Answer, Question, families, questions, stored

PAGE = HERE.parents[1] / "docs" / "reference" / "functions.md"
HEAD = """# Functions

Generated from the registry of functions and from what Apache Flink 2.3.0 answered; do not edit it:
`make docs` writes it. Every example is an answer of Flink's that a test compares with ours, among
{count} expressions over edge values of every type, of which {different} differ; the differences
are listed under the functions they concern.

Flink's functions from tables to tables, {process}, are not
there; they are refused by name.

`NULL` tells when the result is NULL: *if an argument is*, *can be* (also where no argument is), or
*never*. A bare `NULL` is refused where Flink refuses it; write `CAST(NULL AS type)`.
"""
_SIGNATURES = {
    "ARRAY": "ARRAY[<any>, ...]",
    "MAP": "MAP[<any>, <any>, ...]",
    "ROW": "ROW(<any>, ...)",
    "COUNT": "COUNT(*), COUNT(<any>) or COUNT(DISTINCT <any>)",
    "CASE": "CASE WHEN <boolean> THEN <any> ... ELSE <any> END",
    "CAST": "CAST(<any> AS type)",
    "TRY_CAST": "TRY_CAST(<any> AS type)",
    "ITEM": "<array>[<integer>], <map>[<any>], <row>[<integer>] or <variant>[<string or integer>]",
    "FIELD": "<row or structured>.name",
    "OBJECT_OF": "OBJECT_OF(<class name>, <field name>, <any>, ...)",
    "OBJECT_UPDATE": "OBJECT_UPDATE(<structured>, <field name>, <any>, ...)",
    "EXTRACT": "EXTRACT(<unit> FROM <date, time, timestamp or interval>)",
    "TRIM": "TRIM([BOTH | LEADING | TRAILING] [<string> FROM] <string>)",
    "IN": "<any> IN (<any>, ...)",
    "NEGATE": "-<number or interval>",
    "OVERLAPS": "(<start>, <end or interval>) OVERLAPS (<start>, <end or interval>)",
    "JSON_VALUE": "JSON_VALUE(<string>, <path> [RETURNING type] [... ON EMPTY] [... ON ERROR])",
    "JSON_QUERY": "JSON_QUERY(<string>, <path> [RETURNING type] [... WRAPPER] [... ON EMPTY] "
    "[... ON ERROR])",
    "JSON_EXISTS": "JSON_EXISTS(<string>, <path> [... ON ERROR])",
    "JSON_OBJECT": "JSON_OBJECT([KEY] <constant string> VALUE <any>, ... [... ON NULL])",
    "JSON_ARRAY": "JSON_ARRAY(<any>, ... [... ON NULL])",
    "- DAY TO SECOND": "(<date or timestamp> - <date or timestamp>) DAY TO SECOND",
    "- YEAR TO MONTH": "(<date or timestamp> - <date or timestamp>) MONTH",
}
_COMPOSED = {
    "PERCENTILE": "PERCENTILE(<number>, <share or array of shares> [, <frequency>])",
    "BITMAP_BUILD_AGG": "BITMAP_BUILD_AGG(<integer>)",
    "BITMAP_BUILD_CARDINALITY_AGG": "BITMAP_BUILD_CARDINALITY_AGG(<integer>)",
    "BITMAP_AND_AGG": "BITMAP_AND_AGG(<bitmap>)",
    "BITMAP_AND_CARDINALITY_AGG": "BITMAP_AND_CARDINALITY_AGG(<bitmap>)",
    "BITMAP_OR_AGG": "BITMAP_OR_AGG(<bitmap>)",
    "BITMAP_OR_CARDINALITY_AGG": "BITMAP_OR_CARDINALITY_AGG(<bitmap>)",
    "BITMAP_XOR_AGG": "BITMAP_XOR_AGG(<bitmap>)",
    "BITMAP_XOR_CARDINALITY_AGG": "BITMAP_XOR_CARDINALITY_AGG(<bitmap>)",
    "JSON_ARRAYAGG": "JSON_ARRAYAGG(<any> [... ON NULL])",
    "JSON_OBJECTAGG": "JSON_OBJECTAGG([KEY] <string> VALUE <any> [... ON NULL])",
}


@dataclass(slots=True)
class Entry:
    """What the oracle knows of a function."""

    answers: list[Answer] = field(default_factory=list)
    differences: dict[str, None] = field(default_factory=dict)
    nulls: set[tuple[bool, bool]] = field(default_factory=set)


def entries() -> dict[str, Entry]:
    """By name in the registry; a function is in every expression whose bound form calls it."""
    reasons = dict(_reasons())
    found: dict[str, Entry] = {}
    for family in families():
        asked = questions(family)
        for known in (known for known in stored(family).values() if known.question in asked):
            for call in _calls(known.question):
                entry = found.setdefault(call.function, Entry())
                entry.answers.append(known)
                reason = reasons.get(known.question)
                if reason and _concerns(reason, call.function, known.question):
                    entry.differences[reason] = None
                if isinstance(call, Call):
                    entry.nulls |= _null_rule(call)
    return found


def _concerns(reason: str, name: str, question: Question) -> bool:
    """Whether a difference is due to the function, not to another in the expression."""
    first = re.match(r"[A-Z_0-9]+(?=\()", question.expression)
    return _outermost(name, question) if first is None else first[0] == name


@dataclass(frozen=True, slots=True)
class Aggregated:
    """A function in an expression that is not bound here: an aggregate, or one over a window."""

    function: str


def _calls(question: Question) -> list[Call | Aggregated]:
    if question.final:
        return [Aggregated(name) for name in dict.fromkeys(map(_known, _words(question))) if name]
    try:
        found = [node for node in walk(bind(question)) if isinstance(node, Call)]
    except SameriverError:
        return []
    return list({call.function: call for call in reversed(found)}.values())


def _words(question: Question) -> list[str]:
    """What is called; of what is no aggregate only where nothing else is asked."""
    words = re.findall(r"([A-Z_0-9]+)\s*\(", question.expression.upper())
    alone = not question.aggregate and "OVER" not in words
    return [word for word in words if alone or functions.scalar(word) is None]


def _known(word: str) -> str | None:
    """The name of a function in the registry, or of one that is made of others."""
    function = functions.aggregate(word) or functions.ranking(word) or functions.scalar(word)
    return function.name if function else word if word in _COMPOSED else None


def _null_rule(call: Call) -> set[tuple[bool, bool]]:
    """Whether the result is nullable where arguments are not, and where all are."""
    function = functions.scalar(call.function)
    if function is None or not call.args:
        return {(call.type.nullable, call.type.nullable)}
    results = []
    for nullable in (False, True):
        operands = [
            Operand(arg.type.with_nullable(nullable), arg.value)
            if isinstance(arg, Literal)
            else Operand(arg.type.with_nullable(nullable))
            for arg in call.args
        ]
        try:
            results.append(function.infer(operands).result.nullable)
        except UserError:
            return set()
    return {(results[0], results[1])}


def _reasons() -> Iterator[tuple[Question, str]]:
    """The remark above each question of the list of differences."""
    reason = ""
    for line in (HERE / f"{DIFFERENCES}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        for question in questions(DIFFERENCES):
            if question.expression == line:
                yield question, reason


def page() -> str:
    """The whole page."""
    known = entries()
    count = sum(len(stored(family)) for family in families())
    process = ", ".join(f"`{name}`" for name in PROCESS)
    different = len(questions(DIFFERENCES))
    parts = [HEAD.format(count=count, different=different, process=process)]
    parts.append(_loops(known))
    for title, family in functions.FAMILIES.items():
        named = [function for function in family if not function.name.startswith("$")]
        if named:
            parts.append(f"## {title}\n\n" + "\n".join(_entry(f, known) for f in named))
    parts.append("## Aggregates\n\n" + "\n".join(_entry(f, known) for f in AGGREGATES))
    more = [_described(name, text, (), known) for name, text in _COMPOSED.items()]
    parts.append("\n".join(more))
    parts.append("## In OVER windows\n\n" + "\n".join(_entry(f, known) for f in RANKING))
    return "\n".join(parts)


def _entry(function: ScalarFunction | AggregateFunction, known: dict[str, Entry]) -> str:
    return _described(function.name, _signature(function), function.aliases, known)


def _described(name: str, signature: str, aliases: Sequence[str], known: dict[str, Entry]) -> str:
    entry = known.get(name, Entry())
    lines = [f"### {name}\n", f"`{signature}`\n"]
    facts = []
    if aliases:
        facts.append(f"also {', '.join(f'`{alias}`' for alias in aliases)}")
    types = _types(name, entry)
    if types:
        facts.append(f"result: {types}")
    if entry.nulls:
        facts.append(f"NULL: {_null_text(entry.nulls)}")
    if facts:
        lines.append("; ".join(facts) + "\n")
    example = _example(name, entry)
    if example is not None:
        value = ", ".join("NULL" if value is None else _visible(value) for value in _shown(example))
        lines.append(f"```text\n{example.question.expression} => {value}\n```\n")
    lines += [f"- Differs: {reason}" for reason in entry.differences]
    return "\n".join(lines) + ("\n" if entry.differences else "")


def _visible(value: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)


def _signature(function: ScalarFunction | AggregateFunction) -> str:
    """What the function says it takes when it gets what it does not."""
    if function.name in _SIGNATURES:
        return _SIGNATURES[function.name]
    odd = Operand(DataType(root=Root.DESCRIPTOR))
    for count in (14, 0, 1, 2):
        try:
            function.infer([odd] * count)
        except UserError as error:
            hint = error.hint or ""
            if hint.startswith("It takes "):
                return hint.removeprefix("It takes ").split("; use CAST")[0].rstrip(".")
    return function.name


def _types(name: str, entry: Entry) -> str:
    """Types of the results where the function is the whole expression."""
    own = [a.type for a in entry.answers if a.values and _outermost(name, a.question)]
    plain = dict.fromkeys(re.sub(r"( NOT NULL)+$", "", type) for type in own)
    shown = [f"`{type}`" for type in plain]
    return ", ".join(shown[:5]) + (", ..." if len(shown) > 5 else "")


def _outermost(name: str, question: Question) -> bool:
    if question.final:
        return question.expression.upper().startswith(name)
    try:
        bound = bind(question)
    except SameriverError:
        return False
    return isinstance(bound, Call) and bound.function == name


def _null_text(rules: set[tuple[bool, bool]]) -> str:
    if any(without for without, _ in rules):
        return "can be"
    return "if an argument is" if any(some for _, some in rules) else "never"


def _example(name: str, entry: Entry) -> Answer | None:
    """The shortest constant expression with a value, else the shortest of all."""
    own = [a for a in entry.answers if a.values and a.question not in _LISTED]
    own = [a for a in own if _outermost(name, a.question)] or own
    constant = [a for a in own if len(a.values) == 1 and a.values[0] is not None]
    return min(constant or own, key=lambda a: len(a.question.expression), default=None)


def _shown(example: Answer) -> tuple[str | None, ...]:
    """The value, or those of all rows that a window has."""
    return example.values if example.question.by else example.values[-1:]


_LISTED = frozenset(questions(DIFFERENCES))


_IN_PYTHON = {
    "decimals": "decimals that need more than 128 bits on the way, or are written with an exponent",
    "render": "a FLOAT or DOUBLE without bounds, or so small that Java adds a digit of its own",
    "letters": "charsets but UTF-8, UTF-16, ISO-8859-1 and US-ASCII; what is no base64; columns of"
    " letters to translate",
    "json": "JSON with mistakes, escapes in keys, or numbers with an exponent; paths with `*` or"
    " places from the end; numbers that are written with an exponent",
    "variants": "JSON with mistakes, escapes in keys, or numbers with an exponent or more than 38"
    " digits; columns of many keys in `variant[...]`",
    "regex": "patterns with what Polars lacks (look-around, back references, matches of nothing),"
    " and columns with more patterns than one in 50 rows",
    "urls": "URLs with other parts than usual, and columns of parts",
    "printf": "formats that are no constant, or of other values than text and whole numbers",
    "strings": "delimiters that are regular expressions",
}
"""By module, for what it calls Python."""


def _loops(known: dict[str, Entry]) -> str:
    """Which functions call Python for each distinct combination of arguments, and for what."""
    by_module: dict[str, list[str]] = {}
    for name, entry in sorted(known.items()):
        for module in _in_python(name, entry):
            if not name.startswith("$"):
                by_module.setdefault(module, []).append(name)
    lines = [
        f"- {_IN_PYTHON[module]}: {', '.join(f'`{name}`' for name in names)}"
        for module, names in sorted(by_module.items())
    ]
    return (
        "Functions run in columns. For some values they call Python, once for each distinct\n"
        "combination of arguments in a batch, since neither Polars nor a kernel computes them:\n\n"
        + "\n".join(lines)
        + "\n"
    )


def _in_python(name: str, entry: Entry) -> list[str]:
    """The modules of what is called."""
    called: set[str] = set()
    run: Callable[..., object] = distinct._run

    def noted(function: Any, *args: Any) -> object:
        module = getattr(function, "func", function).__module__

        def seen(*row: Any) -> object:
            called.add("json" if function in (str, dumps) else module.rpartition(".")[2])
            return function(*row)

        return run(seen, *args)

    own = [a for a in entry.answers if a.values and _bare(name, a.question)]
    with patch.object(distinct, "_run", noted):
        for known in own:
            question = known.question
            with suppress(SameriverError):
                compiled = compile_expression(bind(question), zone_named(question.zone))
                edge().select(compiled.alias("x"), "id")
    return sorted(called)


def _bare(name: str, question: Question) -> bool:
    """Whether nothing but the function is called, and what makes its arguments."""
    if question.final:
        return False
    bound = bind(question)
    calls = [node for node in walk(bound) if isinstance(node, Call)]
    makers = ("CAST", "ARRAY", "BITMAP_BUILD", "JSON_STRING")
    others = [call.function for call in calls if call.function not in makers]
    return others == [name] or (name in makers and len(calls) == 1 and calls[0].function == name)


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
