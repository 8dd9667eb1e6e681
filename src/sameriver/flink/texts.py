"""The statements of a script in the words they were written in."""

from __future__ import annotations

from itertools import accumulate

from sameriver.common.errors import Position
from sameriver.sql.tokens import Kind, Token, tokenize


class Texts:
    """Cuts statements out of a script that parses."""

    def __init__(self, script: str) -> None:
        self._script = script
        self._tokens = tokenize(script)
        self._lines = [0, *accumulate(map(len, script.splitlines(keepends=True)))]

    def at(self, position: Position) -> str:
        """From a position up to the ``;`` that follows, or to the end."""
        tokens = self._until_end(position)
        return self._script[tokens[0].start : tokens[-1].end]

    def query_of_create(self, position: Position) -> str:
        """The query of the CREATE TABLE ... AS at a position."""
        tokens = self._until_end(position)
        depth = 0
        for index, token in enumerate(tokens):
            depth += (token.upper == "(") - (token.upper == ")")
            if depth == 0 and token.upper == "AS":
                return self._script[tokens[index + 1].start : tokens[-1].end]
        raise ValueError("there is no AS")

    def _until_end(self, position: Position) -> list[Token]:
        start = self._lines[position.line - 1] + position.column - 1
        tokens = [token for token in self._tokens if token.start >= start]
        ends = (i for i, t in enumerate(tokens) if t.kind is Kind.END or t.upper == ";")
        return tokens[: next(ends)]
