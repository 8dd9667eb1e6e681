"""Text to tokens, by Flink's lexical rules.

Whatever is not a token (an open string, a double-quoted string, a stray character) becomes a
``BAD`` token that carries the error. It is raised when the parser gets there, so errors come in
the order of the script.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from typing import NamedTuple

from sameriver.common.errors import Position


class Kind(Enum):
    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    BINARY = "binary string"
    NUMBER = "number"
    SYMBOL = "symbol"
    BAD = "bad"
    END = "end"


class Token(NamedTuple):
    """A token.

    ``text`` is the value: quotes removed, escapes resolved. ``upper`` is what keywords and symbols
    are compared with; empty for quoted names and strings. ``hint`` is the way out of a BAD token.
    """

    kind: Kind
    text: str
    upper: str
    start: int
    end: int
    hint: str = ""


_PATTERN = re.compile(
    r"""
      (?P<skip>\s+ | (?:--|//)[^\n]* | /\*(?!\+).*?\*/)
    | (?P<unicode>[uU]&'(?:[^']|'')*')
    | (?P<binary>[xX]'(?:[^']|'')*')
    | (?P<string>(?:_(?i:utf8|utf16|latin1))?'(?:[^']|'')*')
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$]))
    | (?P<word>[^\W\d][\w$]*)
    | (?P<symbol>/\*\+ | \*/ | <> | <= | >= | \|\| | => | -> | == | != | :: | &&
        | /(?!\*) | [-+*%<>=(),.;\[\]{}?:|^$])
    """,
    re.VERBOSE | re.DOTALL,
)

_SLIPS = {
    "==": "Write '=' to compare.",
    "!=": "Write '<>' for 'not equal'.",
    "::": "Write CAST(value AS type).",
    "&&": "Write AND.",
    "->": "Fields of a ROW are reached with '.', values of JSON with JSON_VALUE.",
}


def tokenize(text: str) -> list[Token]:
    """All tokens of a script, comments left out, closed by one END token."""
    tokens: list[Token] = []
    place, size = 0, len(text)
    match = _PATTERN.match
    while place < size:
        found = match(text, place)
        if found is None:
            token = _bad(text, place)
        elif found.lastgroup == "skip":
            place = found.end()
            continue
        else:
            token = _token(found)
        tokens.append(token)
        place = token.end
    tokens.append(Token(Kind.END, "", "", size, size))
    return tokens


def _token(found: re.Match[str]) -> Token:
    raw, start, end = found.group(), found.start(), found.end()
    match found.lastgroup:
        case "word":
            return Token(Kind.WORD, raw, raw.upper(), start, end)
        case "symbol":
            if raw in _SLIPS:
                return Token(Kind.BAD, f"unexpected '{raw}'", raw, start, end, _SLIPS[raw])
            return Token(Kind.SYMBOL, raw, raw, start, end)
        case "number":
            return Token(Kind.NUMBER, raw, "", start, end)
        case "quoted":
            return Token(Kind.QUOTED, raw[1:-1].replace("``", "`"), "", start, end)
        case "string":
            text = raw[raw.index("'") + 1 : -1].replace("''", "'")
            if raw[:7].upper() == "_LATIN1" and any(ord(letter) > 255 for letter in text):
                hint = "Leave _LATIN1 out."
                return Token(Kind.BAD, f"'{text}' is not in LATIN1", "", start, end, hint)
            return Token(Kind.STRING, text, "", start, end)
        case "unicode":
            return _unicode(raw, start, end)
    if re.fullmatch("(?:[0-9a-fA-F]{2})*", raw[2:-1]):
        return Token(Kind.BINARY, raw[2:-1], "", start, end)
    hint = "Write two hexadecimal digits a byte, such as X'0AFF'."
    return Token(Kind.BAD, "a binary string is malformed", "", start, end, hint)


def _unicode(raw: str, start: int, end: int) -> Token:
    body = raw[3:-1].replace("''", "'")
    value = re.sub(
        r"\\(?:([0-9a-fA-F]{4})|(\\))",
        lambda m: chr(int(m.group(1), 16)) if m.group(1) else "\\",
        body,
    )
    if re.search(r"(?<!\\)(?:\\\\)*\\(?![0-9a-fA-F]{4}|\\)", body):
        hint = r"Write each as \ and four hexadecimal digits, such as U&'caf\00e9'."
        return Token(Kind.BAD, "a Unicode escape is malformed", "", start, end, hint)
    return Token(Kind.STRING, value, "", start, end)


def _bad(text: str, place: int) -> Token:
    """The error token for text that no rule takes."""
    head, size = text[place], len(text)
    if text.startswith("/*", place):
        return Token(Kind.BAD, "a comment is not closed", "", place, size, "Close it with '*/'.")
    if head == "'" or text[place : place + 3].upper() == "U&'":
        hint = "Close it with a single quote; a quote inside a string is doubled: ''."
        return Token(Kind.BAD, "a string is not closed", "", place, size, hint)
    if text.startswith("``", place):
        hint = "A name has at least one character."
        return Token(Kind.BAD, "a quoted name is empty", "", place, place + 2, hint)
    if head == "`":
        hint = "Close it with a backquote."
        return Token(Kind.BAD, "a quoted name is not closed", "", place, size, hint)
    if head == '"':
        found = re.compile(r'"[^"\n]*"?').match(text, place)
        end = found.end() if found else place + 1
        hint = "Strings take single quotes ('text'), names take backquotes (`name`)."
        return Token(Kind.BAD, "double quotes have no meaning", "", place, end, hint)
    if head.isdigit() or head == ".":
        found = re.compile(r"[\w$.]+").match(text, place)
        end = found.end() if found else place + 1
        raw = text[place:end]
        hint = f"A name that starts with a digit takes backquotes: `{raw}`."
        return Token(Kind.BAD, f"'{raw}' is neither a number nor a name", "", place, end, hint)
    return Token(Kind.BAD, f"unexpected character '{head}'", head, place, place + 1)


class Lines:
    """Turns offsets of a script into positions."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._text = text

    def position(self, start: int, end: int) -> Position:
        """The position of ``text[start:end]``, cut off at the end of its first line."""
        starts = self._starts
        number = max(1, min(bisect_right(starts, start), len(starts) - 1))
        first = starts[number - 1]
        if number < len(starts) and end > starts[number]:
            end = first + len(self._text[first : starts[number]].rstrip())
        return Position(number, start - first + 1, max(1, end - start))
