"""Meanings as people write them: ``<(3:INT, t.w)`` is ``t.w > 3``.

Meanings are the texts that states are told apart by; they put operands in an order of their own.
What is not understood here is shown as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BINARY = {
    "OR": 1, "AND": 2, "=": 4, "<>": 4, "<": 4, "<=": 4, "LIKE": 4, "SIMILAR TO": 4,
    "IS DISTINCT FROM": 4, "IS NOT DISTINCT FROM": 4, "||": 5, "+": 5, "-": 5, "*": 6, "/": 6,
    "%": 6,
}  # fmt: skip
"""Operators between operands, and how tightly they bind."""
_NOT, _COMPARED, _ALONE = 3, 4, 9
_TURNED = {"<": ">", "<=": ">=", "=": "=", "<>": "<>", "+": "+", "*": "*"}
"""Operators whose sides may be exchanged, and what they are then."""
_ANY_OF = {("OR", "="): "IN", ("AND", "<>"): "NOT IN"}
_WINDOWS = {
    "TumblingWindow": "TUMBLE", "HoppingWindow": "HOP", "CumulativeWindow": "CUMULATE",
    "SessionWindow": "SESSION", "TUMBLING": "TUMBLE", "SLIDING": "HOP",
}  # fmt: skip
_SPECIAL = {
    "EXTRACT": "EXTRACT({} FROM {})", "FLOOR": "FLOOR({} TO {})", "CEIL": "CEIL({} TO {})",
    "TRIM": "TRIM({} {} FROM {})",
}  # fmt: skip
"""Calls with words instead of commas."""
_BARE = ("CURRENT_", "LOCALTIME")
"""How calls begin that have no parentheses."""
_CALL = re.compile(r"(?P<name>[^'(),:{}\[\]]+)\((?P<inner>.*)\)", re.DOTALL)
_LITERAL = re.compile(r"(?P<value>-?\w[\w.: +-]*?):(?P<type>[A-Z]+\b.*)")
_PERIOD = re.compile(r"(?P<key>\w+)=PT(?P<number>\d+)(?P<unit>[HMS])")
_ORDER = re.compile(r"(?P<of>.*) (?P<how>(?:ASC|DESC) NULLS (?:FIRST|LAST))")
_LETTERS = {"H": "HOUR", "M": "MINUTE", "S": "SECOND"}
_LONG = re.compile(r"\b(VARCHAR|VARBINARY)\(2147483647\)")
_ANY_LENGTH = {"VARCHAR": "STRING", "VARBINARY": "BYTES"}
_UNITS = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1000}


def worded(meaning: str) -> str:
    """A meaning in the words of SQL."""
    ordered = _ORDER.fullmatch(meaning)
    if ordered is not None:
        return f"{worded(ordered['of'])} {ordered['how']}"
    return _worded(meaning)[0]


def _worded(text: str) -> tuple[str, int]:
    """SQL, and how tightly its outermost operator binds."""
    call, *filtered = _split(text, " FILTER ")
    if filtered:
        condition = filtered[0].removeprefix("(").removesuffix(")")
        truth = _call(condition)  # Flink asks whether it IS TRUE
        if truth is not None and truth[0] == "IS TRUE":
            (condition,) = truth[1]
        return f"{worded(call)} FILTER (WHERE {worded(condition)})", _ALONE
    if (called := _call(text)) is not None:
        return _of_call(*called)
    if (literal := _LITERAL.fullmatch(text)) is not None:
        return _literal(literal["value"], literal["type"]), _ALONE
    return _type(text), _ALONE


def _call(text: str) -> tuple[str, list[str]] | None:
    """The name of a call and its operands; None: the text is something else."""
    found = _CALL.fullmatch(text)
    if found is None or len(_split(text, ")")) > 2:
        return None
    return found["name"], _split(found["inner"], ", ")


def _of_call(name: str, operands: list[str]) -> tuple[str, int]:
    if name in ("AND", "OR") and (listed := _listed(name, operands)):
        return listed, _COMPARED
    if name in _BINARY and len(operands) > 1:
        return _between(name, operands), _BINARY[name]
    if name.startswith("IS ") and len(operands) == 1:
        return f"{_tight(operands[0], _COMPARED + 1)} {name}", _COMPARED
    if name == "NOT":
        return _negated(operands[0])
    if name == "-":
        return f"-{_tight(operands[0], _ALONE)}", _ALONE
    if name == "CASE":
        return _case(operands), _ALONE
    shown = [_argument(one) for one in operands if one and one != "isTimeWindow=True"]
    if not shown and name.startswith(_BARE):
        return name, _ALONE
    if len(shown) == _SPECIAL.get(name, "").count("{}") > 0:
        return _SPECIAL[name].format(*shown), _ALONE
    return f"{_WINDOWS.get(name, name)}({', '.join(shown)})", _ALONE


def _between(name: str, operands: Sequence[str]) -> str:
    if len(operands) == 2 and name in _TURNED and _weight(operands[0]) > _weight(operands[1]):
        name, operands = _TURNED[name], operands[::-1]
    binds = _BINARY[{">": "<", ">=": "<="}.get(name, name)]
    first, *others = operands
    # a - (b - c) is not a - b - c
    shown = [_tight(first, binds), *(_tight(one, binds + 1) for one in others)]
    return f" {name} ".join(shown)


def _weight(operand: str) -> int:
    """Columns read best on the left, constants on the right."""
    return 2 if _is_constant(operand) else int(_call(operand) is not None)


def _negated(operand: str) -> tuple[str, int]:
    called = _call(operand)
    if called is not None and called[0] in ("LIKE", "SIMILAR TO"):
        return _between_as(f"NOT {called[0]}", called[1]), _COMPARED
    return f"NOT {_tight(operand, _NOT + 1)}", _NOT


def _between_as(shown: str, operands: Sequence[str]) -> str:
    left, *others = (_tight(one, _COMPARED + 1) for one in operands)
    return f"{left} {shown} {', '.join(others)}"


def _listed(name: str, operands: Sequence[str]) -> str:
    """``x IN (1, 2)``, if that is what the comparisons say; else empty."""
    parted = []
    for operand in operands:
        compared = _call(operand)
        if compared is None or (name, compared[0]) not in _ANY_OF or len(compared[1]) != 2:
            return ""
        parted.append((compared[0], *sorted(compared[1], key=_is_constant)))
    if len({(sign, of) for sign, of, _ in parted}) != 1 or len(parted) < 2:
        return ""
    if not all(_is_constant(value) for _, _, value in parted):
        return ""
    sign, of, _ = parted[0]
    values = ", ".join(worded(value) for _, _, value in parted)
    return f"{_tight(of, _COMPARED + 1)} {_ANY_OF[name, sign]} ({values})"


def _case(operands: Sequence[str]) -> str:
    *pairs, last = (worded(one) for one in operands)
    whens = (f"WHEN {pairs[at]} THEN {pairs[at + 1]}" for at in range(0, len(pairs) - 1, 2))
    return f"CASE {' '.join(whens)} ELSE {last} END"


def _argument(text: str) -> str:
    """``x AS STRING`` of a cast, ``size=PT1M`` of a window, or an operand."""
    value, *type = _split(text, " AS ")
    if type:
        return f"{worded(value)} AS {_type(type[0])}"
    if text.startswith("DISTINCT "):
        return f"DISTINCT {worded(text.removeprefix('DISTINCT '))}"
    if (period := _PERIOD.fullmatch(text)) is not None:
        unit = _LETTERS[period["unit"]]
        key = period["key"].removeprefix("max").upper()
        return f"{key} => INTERVAL '{period['number']}' {unit}"
    return worded(text)


def _tight(text: str, least: int) -> str:
    """An operand, in parentheses if it does not bind tightly enough."""
    shown, binds = _worded(text)
    return f"({shown})" if binds < least else shown


def _is_constant(text: str) -> bool:
    quoted = text.startswith("'") and len(_split(text, ", ")) == 1
    return quoted or _LITERAL.fullmatch(text) is not None


def _literal(value: str, type: str) -> str:
    kind = type.partition("(")[0].strip()
    if value in ("NULL", "true", "false"):
        return value.upper()
    if kind.startswith("INTERVAL"):
        months = kind.split()[1] in ("YEAR", "MONTH")
        return f"INTERVAL '{value}' MONTH" if months else interval(int(value))
    if kind in ("DATE", "TIME", "TIMESTAMP"):
        return f"{kind} '{value}'"
    return value


def interval(milliseconds: int) -> str:
    """``INTERVAL '5' MINUTE``: in the largest unit that leaves a whole number."""
    for unit, size in _UNITS.items():
        if milliseconds % size == 0:
            return f"INTERVAL '{milliseconds // size}' {unit}"
    return f"INTERVAL '{milliseconds / 1000}' SECOND"


def _type(text: str) -> str:
    return _LONG.sub(lambda found: _ANY_LENGTH[found[1]], text)


def _split(text: str, separator: str) -> list[str]:
    """Parts of a text between separators that no brackets and no quotes hold."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, sign in enumerate(text):
        quoted ^= sign == "'"
        if quoted or sign == "'":
            continue
        depth -= sign in ")]}"
        if depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            start = at + len(separator)
        depth += sign in "([{"
    return [*parts, text[start:]]
