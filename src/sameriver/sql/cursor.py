"""The place in a script that is being parsed: tokens, names, positions and syntax errors."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position, UserError
from sameriver.sql.tokens import Kind, Lines, Token, tokenize
from sameriver.sql.words import CLAUSES, RESERVED

T = TypeVar("T")
N = TypeVar("N", bound=exp.Expr)

_NAMES = (Kind.WORD, Kind.QUOTED)
_ITEMS = (Kind.WORD, Kind.QUOTED, Kind.STRING, Kind.NUMBER)


_FOREIGN = {
    "RLIKE": "Write REGEXP(value, pattern).",
    "REGEXP": "Write REGEXP(value, pattern).",
    "ILIKE": "Write LOWER(value) LIKE pattern.",
    "AT": "Write CONVERT_TZ(text, from, to), or SET 'table.local-time-zone'.",
    "MEMBER": "Write ARRAY_CONTAINS(array, value).",
    "DIV": "Write '/': it divides whole numbers without a rest.",
    "TEMP": "Write TEMPORARY.",
    "TOP": "Write LIMIT n at the end of the query.",
    "MINUS": "Write EXCEPT.",
    "PIVOT": "Write SUM(value) FILTER (WHERE ...) for each column.",
    "?": "Write the value itself: there are no parameters.",
}
"""What other databases have, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules that all others come back to; an operand holds no comparison and no AND or OR."""

    expression: Callable[[Cursor], exp.Expr]
    operand: Callable[[Cursor], exp.Expr]
    query: Callable[[Cursor], exp.Expr]


class Cursor:
    """Walks over the tokens of a script.

    Attributes:
        token: the token at hand.
        index: its number.
    """

    def __init__(self, text: str, grammar: Grammar) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.lines = Lines(text)
        self.grammar = grammar
        self.index = 0
        self.token = self.tokens[0]

    def expression(self) -> exp.Expr:
        return self.grammar.expression(self)

    def operand(self) -> exp.Expr:
        return self.grammar.operand(self)

    def query(self) -> exp.Expr:
        return self.grammar.query(self)

    # -- tokens ---------------------------------------------------------------------------------

    def advance(self) -> Token:
        """Takes the token at hand."""
        token = self.token
        if token.kind is Kind.BAD:
            self.unexpected("")
        self.move(self.index + 1)
        return token

    def move(self, index: int) -> None:
        self.index = min(index, len(self.tokens) - 1)
        self.token = self.tokens[self.index]

    def peek(self, offset: int = 1) -> Token:
        return self.tokens[min(self.index + offset, len(self.tokens) - 1)]

    def after_parentheses(self) -> Token:
        """The token behind the parenthesis that closes the one at hand."""
        depth, offset = 0, 0
        while self.peek(offset).kind is not Kind.END:
            symbol = self.peek(offset).upper
            depth += (symbol == "(") - (symbol == ")")
            offset += 1
            if depth == 0:
                break
        return self.peek(offset)

    def at(self, *words: str) -> bool:
        """Whether these keywords or symbols, upper case, come next."""
        if self.token.upper != words[0] or self.token.kind is Kind.BAD:
            return False
        return all(self.peek(i).upper == words[i] for i in range(1, len(words)))

    def at_any(self, *words: str) -> bool:
        """Whether one of these keywords or symbols comes next."""
        return self.token.upper in words and self.token.kind is not Kind.BAD

    def accept(self, *words: str) -> bool:
        """Takes these keywords or symbols if they come next."""
        if not self.at(*words):
            return False
        self.move(self.index + len(words))
        return True

    def expect(self, *words: str) -> None:
        """Takes these keywords or symbols, one after the other.

        Raises:
            UserError: SYNTAX.
        """
        for word in words:
            if not self.accept(word):
                self.unexpected(f"'{word}'")

    def string(self, what: str) -> str:
        """Takes a string in single quotes."""
        if self.token.kind is not Kind.STRING:
            self.unexpected(what)
        return self.advance().text

    def number(self, what: str) -> int:
        """Takes a whole number."""
        if self.token.kind is not Kind.NUMBER or not self.token.text.isdigit():
            self.unexpected(what)
        return int(self.advance().text)

    # -- lists ----------------------------------------------------------------------------------

    def separated(self, rule: Callable[[], T]) -> list[T]:
        """``rule, rule, ...``; at least one."""
        items = [rule()]
        while self.accept(","):
            items.append(rule())
        return items

    def wrapped(self, rule: Callable[[], T]) -> T:
        """``( rule )``."""
        opening = self.token
        self.expect("(")
        result = rule()
        self.close(opening)
        return result

    def close(self, opening: Token, symbol: str = ")") -> None:
        """Takes the closing symbol; ``opening`` is what it closes."""
        if self.accept(symbol):
            return
        where = self.position_of(opening)
        if self.at(","):
            self.unexpected(f"'{symbol}'")
        hint = f"The '{opening.text}' of line {where.line}, column {where.column} is not closed."
        if self.token.kind in _ITEMS and self.token.upper not in CLAUSES:
            hint = f"Is a comma missing before it? {hint}"
        self.unexpected(f"',' or '{symbol}'", hint)

    # -- names ----------------------------------------------------------------------------------

    def at_name(self) -> bool:
        """Whether a name comes next: quoted, or a word that is not reserved."""
        kind = self.token.kind
        return kind is Kind.QUOTED or (kind is Kind.WORD and self.token.upper not in RESERVED)

    def identifier(self, what: str = "a name") -> exp.Identifier:
        """Takes a name.

        Raises:
            UserError: SYNTAX; a reserved word needs backquotes.
        """
        token = self.token
        if not self.at_name():
            named = self.index and self.tokens[self.index - 1].upper in ("AS", ".")
            if token.kind is Kind.WORD and (named or token.upper not in CLAUSES):
                self.reserved(token, what)
            self.unexpected(what)
        self.advance()
        node = exp.Identifier(this=token.text, quoted=token.kind is Kind.QUOTED)
        return self.mark(node, token)

    def name(self, what: str = "a name") -> str:
        return str(self.identifier(what).this)

    def parts(self, what: str) -> list[exp.Identifier]:
        """Takes a dotted name of at most three parts."""
        start = self.token
        found = [self.identifier(what)]
        while self.accept("."):
            found.append(self.identifier("a name after '.'"))
        if len(found) > 3:
            where = self.span(start)
            hint = "A full name is catalog.database.name."
            raise UserError("SYNTAX", f"{what} has too many parts", hint=hint, position=where)
        return found

    # -- positions ------------------------------------------------------------------------------

    def position_of(self, token: Token) -> Position:
        return self.lines.position(token.start, token.end)

    def span(self, start: Token) -> Position:
        """From a token to the last one taken."""
        end = self.tokens[max(self.index - 1, 0)].end
        return self.lines.position(start.start, max(start.end, end))

    def said(self, start: Token) -> str:
        """The text from a token to the last one taken."""
        return self.text[start.start : self.tokens[self.index - 1].end]

    def mark(self, node: N, start: Token) -> N:
        """Gives the node its place: from ``start`` to the last token taken."""
        node.meta["position"] = self.span(start)
        return node

    # -- errors ---------------------------------------------------------------------------------

    def unexpected(self, expected: str, hint: str = "") -> NoReturn:
        """Raises SYNTAX for the token at hand."""
        token = self.token
        position = self.position_of(token)
        if token.kind is Kind.BAD:
            message, hint = token.text, token.hint or hint
        else:
            message = f"unexpected {describe(token)}"
            if expected:
                message += f"; expected {expected}"
            hint = self._slip() or hint or self._way_out(expected)
        raise UserError("SYNTAX", message, hint=hint, position=position)

    def _way_out(self, expected: str) -> str:
        """What can be done where no particular slip is known."""
        token = self.token
        if token.kind is Kind.WORD and token.upper in RESERVED and token.upper not in CLAUSES:
            return f"To use '{token.text}' as a name put it in backquotes: `{token.text}`."
        if token.text in (";", "") or token.kind is Kind.END:
            return f"Complete the statement: {expected or 'something'} is missing here."
        words = re.findall(r"[A-Z]{2,}", expected)
        meant = difflib.get_close_matches(token.upper, words, n=1)
        if meant and token.kind is Kind.WORD:
            return f"Did you mean '{meant[0]}'?"
        if len(words) > 1:
            return "Write one of them in its place."
        if token.kind is Kind.WORD and token.upper in RESERVED and expected.endswith(" name"):
            return f"Write {expected} before it; as a name it takes backquotes: `{token.text}`."
        return f"Write {expected} before it, or remove it." if expected else "Remove it."

    def reserved(self, token: Token, what: str) -> NoReturn:
        raise UserError(
            "SYNTAX",
            f"'{token.text}' is a reserved word; expected {what}",
            hint=f"To use it as a name put it in backquotes: `{token.text}`.",
            position=self.position_of(token),
        )

    def unsupported(self, what: str, start: Token, hint: str) -> NoReturn:
        """Raises UNSUPPORTED for SQL that Flink has and sameriver has not."""
        raise UserError(
            "UNSUPPORTED", f"{what} is not supported", hint=hint, position=self.span(start)
        )

    def _slip(self) -> str:
        """The way out of a common slip just before the token at hand."""
        token, before = self.token, self.tokens[self.index - 1] if self.index else self.token
        if before.kind is Kind.STRING and self.text[before.start : before.end].endswith("\\'"):
            return "A backslash escapes nothing: a quote inside a string is doubled ('it''s')."
        if before.upper == "," and (token.kind is Kind.END or token.upper in (*CLAUSES, ")", ";")):
            return "Remove the comma before it."
        if token.upper == "FOR" and self.peek().upper == "SYSTEM_TIME":
            return "Write it before the alias: t FOR SYSTEM_TIME AS OF o.ts AS u."
        if before.upper == "DISTINCT" and token.upper == "ON":
            return "Number rows with ROW_NUMBER() OVER (PARTITION BY ...), and keep the first ones."
        if before.upper == "TOP" and token.kind is Kind.NUMBER:
            return f"Write LIMIT {token.text} at the end of the query."
        if token.upper in _FOREIGN:
            return _FOREIGN[token.upper]
        for word in (token, before):
            close = difflib.get_close_matches(word.upper, CLAUSES, n=1, cutoff=0.75)
            if word.kind is Kind.WORD and close and word.upper not in RESERVED:
                return f"Did you mean '{close[0]}' instead of '{word.text}'?"
        if token.upper == ")":
            return "Remove it, or add the '(' that it closes." if self._closes_nothing() else ""
        return ""

    def _closes_nothing(self) -> bool:
        depth = 0
        for token in self.tokens[: self.index][::-1]:
            if token.upper == ";":
                break
            depth += (token.upper == "(") - (token.upper == ")")
        return depth <= 0


def describe(token: Token) -> str:
    """A token in plain words."""
    if token.kind is Kind.END:
        return "end of the script"
    if token.kind is Kind.STRING:
        shown = token.text if len(token.text) <= 20 else token.text[:20] + "..."
        return f"string '{shown}'"
    return f"'{token.text}'"
