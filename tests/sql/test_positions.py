from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from sameriver.common.errors import Position
from sameriver.sql import parse_script, position
from sameriver.sql.statements import Query, Statement

TESTS = Path(__file__).parent.parent


def scripts() -> list[str]:
    found = [path.read_text() for path in sorted(TESTS.glob("golden/*/job.sql"))]
    for line in (TESTS / "data" / "compat_cases.jsonl").read_text().splitlines():
        case = json.loads(line)
        found += [f"{case['ddl']}\n{case[key]}" for key in ("old_sql", "new_sql")]
    return list(dict.fromkeys(found))


def text_at(script: str, at: Position) -> str:
    line = script.splitlines()[at.line - 1]
    assert 1 <= at.column <= len(line)
    assert at.column - 1 + at.length <= len(line)
    return line[at.column - 1 : at.column - 1 + at.length]


def trees(part: Any) -> Iterator[exp.Expr]:
    """Every tree in a statement."""
    if isinstance(part, exp.Expr):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from trees(item)
    elif hasattr(part, "__dataclass_fields__"):
        for name in part.__dataclass_fields__:
            yield from trees(getattr(part, name))


def check(script: str, statements: tuple[Statement, ...]) -> None:
    for statement in statements:
        assert statement.position is not None
        text_at(script, statement.position)
        for tree in trees(statement):
            for node in tree.walk():
                at = position(node)
                if at is None:
                    continue
                written = text_at(script, at)
                if isinstance(node, exp.Identifier):
                    assert written.strip("`") == node.this
                elif isinstance(node, exp.Anonymous) and node.this.isidentifier():
                    assert written.upper().startswith((node.this, "("))


def test_all_known_scripts_parse_with_every_node_in_place() -> None:
    found = scripts()
    assert len(found) > 400
    for script in found:
        check(script, parse_script(script))


def test_positions_count_from_the_start_of_the_script() -> None:
    script = "SET 'a' = 'b';\n\n-- é\nSELECT\n  `x y`, COUNT(b), 'lit', 12\nFROM t;"
    query = parse_script(script)[1]
    assert isinstance(query, Query)
    assert query.position == Position(4, 1, 6)
    places = [position(node) for node in query.query.expressions]
    assert places == [Position(5, 3, 5), Position(5, 10, 8), Position(5, 20, 5), Position(5, 27, 2)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\u2028"])
def test_every_line_break_counts_as_python_counts_lines(newline: str) -> None:
    script = f"SET;{newline}{newline}SELECT a"
    query = parse_script(script)[1]
    assert isinstance(query, Query)
    assert position(query.query.expressions[0]) == Position(3, 8, 1)


def test_operator_spans_its_operands() -> None:
    query = parse_script("SELECT a + b * 2")[0]
    assert isinstance(query, Query)
    assert position(query.query.expressions[0]) == Position(1, 8, 9)
