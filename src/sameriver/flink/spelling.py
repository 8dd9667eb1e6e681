"""Flink's expressions in JSON, spelled in the language of meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sameriver.common.dataclass import dataclass
from sameriver.common.state import Meaning
from sameriver.flink.compiled import Data, type_text
from sameriver.flink.ranges import comparisons
from sameriver.plan.meaning import call_meaning

_NAME = re.compile(r"\$(?P<name>.+)\$(?P<version>\d+)")
_TYPED = ("CAST", "TRY_CAST", "REINTERPRET", "JSON_VALUE")
"""Calls that don't mean the same if their result has another type."""
_OF_ZONE = (
    "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "FROM_UNIXTIME",
    "UNIX_TIMESTAMP", "TO_TIMESTAMP_LTZ",
)  # fmt: skip
_LOCAL = re.compile("LTZ|LOCAL")
_CHARACTERS = ("CHAR", "VARCHAR", "STRING")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the columns of a node's inputs mean, in order, and by name; ``zone``: the session's."""

    columns: tuple[Meaning, ...]
    names: tuple[str, ...] = ()
    zone: str = ""

    def of(self, indices: Sequence[int]) -> tuple[Meaning, ...]:
        return tuple(self.columns[index] for index in indices)


def spell(value: Any, inputs: Inputs) -> Meaning:
    """Text of an expression, or of any JSON that holds expressions.

    As with our own expressions, these make no difference: the order of operands of AND, OR, =, <>,
    + and *, and the side of a comparison.
    """
    match value:
        case {"kind": "INPUT_REF" | "PATTERN_INPUT_REF", "inputIndex": index}:
            column = inputs.columns[index]
            return Meaning(f"{value['alpha']}:{column}") if "alpha" in value else column
        case {"kind": "LITERAL"}:
            return literal(value)
        case {"kind": "CALL"}:
            return _call(comparisons(value), inputs)
        case {"kind": "FIELD_ACCESS", "name": name, "expr": {"kind": "CORREL_VARIABLE"}}:
            return inputs.columns[inputs.names.index(name)]
        case {"kind": "FIELD_ACCESS", "name": name, "expr": row}:
            return Meaning(f"{spell(row, inputs)}.{name}")
        case Mapping():
            inner = ", ".join(f"{key}={spell(value[key], inputs)}" for key in sorted(value))
            return Meaning(f"{{{inner}}}")
        case list() | tuple():
            return Meaning(f"[{', '.join(spell(part, inputs) for part in value)}]")
    return Meaning("NULL" if value is None else str(value))


def literal(value: Data) -> Meaning:
    """``3:INT``, ``'a'``, ``NULL:BIGINT``, ``YEAR``."""
    if "symbol" in value:
        return Meaning(str(value["value"]))
    type = type_text(value["type"]).removesuffix(" NOT NULL") if "type" in value else ""
    held = value.get("value")
    if held is None:
        return Meaning(f"NULL:{type}")
    if type.startswith(_CHARACTERS):
        return Meaning("'" + str(held).replace("'", "''") + "'")
    return Meaning(f"{held}:{type}" if type else str(held))


def function_name(call: Data) -> str:
    """``SUM`` of ``$SUM$1``; a function of the user's by its path."""
    internal = call.get("internalName")
    if internal is None:
        known = ("catalogName", "systemName", "class")
        return next((str(call[key]) for key in known if key in call), "?")
    found = _NAME.fullmatch(internal)
    if found is None:
        return str(internal)
    name, version = found["name"].removeprefix("$"), found["version"]
    return name if version == "1" else f"{name}@{version}"


def _call(call: Data, inputs: Inputs) -> Meaning:
    name = function_name(call)
    if name == "CAST" and _marked(call["operands"][0]["type"], call["type"]):
        return spell(call["operands"][0], inputs)
    operands = flat(call, name) if name in ("AND", "OR") else call.get("operands", ())
    parts = [spell(operand, inputs) for operand in operands]
    if name in _TYPED:
        type = type_text(call["type"]).removesuffix(" NOT NULL")
        parts[-1] = Meaning(f"{parts[-1]} AS {type}")
    if inputs.zone and _reads_zone(name, call):
        parts.append(Meaning(f"zone={inputs.zone}"))
    return call_meaning(name, parts)


def _marked(type: Any, plain: Any) -> bool:
    """Whether a type is that of a time attribute and else the other one."""
    if not isinstance(type, Mapping) or "kind" not in type:
        return False
    root = str(type["type"]).removesuffix("_WITHOUT_TIME_ZONE")
    return type_text(plain).removesuffix(" NOT NULL") == f"{root}({type.get('precision')})"


def _reads_zone(name: str, call: Data) -> bool:
    """Whether the session's time zone decides what a call gives."""
    if name.startswith("PROCTIME"):
        return False
    operands = call.get("operands", ())
    types = [type_text(one["type"]) for one in (*operands, call) if "type" in one]
    return name in _OF_ZONE or (bool(operands) and any(_LOCAL.search(type) for type in types))


def flat(condition: Data, name: str) -> Iterator[Data]:
    """The operands of an AND in an AND, or of an OR in an OR, one after the other."""
    condition = comparisons(condition)
    if condition.get("kind") == "CALL" and function_name(condition) == name:
        for operand in condition["operands"]:
            yield from flat(operand, name)
    else:
        yield condition


def conjuncts(condition: Any, inputs: Inputs) -> tuple[Meaning, ...]:
    """Meanings of the parts of a condition that AND joins."""
    if condition is None:
        return ()
    return tuple(sorted({spell(part, inputs) for part in flat(condition, "AND")}))


def aggregate(call: Data, inputs: Inputs) -> Meaning:
    """``SUM(t.v)``, ``COUNT(DISTINCT t.a) FILTER (...)``."""
    inner = ", ".join(inputs.of(call["argList"])) or "*"
    text = f"{function_name(call)}({'DISTINCT ' if call['distinct'] else ''}{inner})"
    if call["filterArg"] >= 0:
        text += f" FILTER ({inputs.columns[call['filterArg']]})"
    return Meaning(f"{text} IGNORE NULLS" if call["ignoreNulls"] else text)
