"""Meanings are told in the words of SQL; Flink's sets of ranges are comparisons again."""

from __future__ import annotations

from typing import Any

import pytest

from sameriver.common.state import Meaning
from sameriver.flink.spelling import Inputs, conjuncts, spell
from sameriver.flink.wording import worded

COLUMN = {"kind": "INPUT_REF", "inputIndex": 0, "type": "INT"}
X = Inputs((Meaning("t.x"),), ("x",))


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        ("t.x", "t.x"),
        ("COUNT(*)", "COUNT(*)"),
        ("<(3:INT, t.x)", "t.x > 3"),
        ("<=(t.x, 3:INT)", "t.x <= 3"),
        ("<(+(1:INT, t.x), t.y)", "t.y > t.x + 1"),
        ("=('it''s, (so', t.x)", "t.x = 'it''s, (so'"),
        ("-(t.x, -(t.y, 1:INT))", "t.x - (t.y - 1)"),
        ("-(-(t.x, t.y), 1:INT)", "t.x - t.y - 1"),
        ("*(+(1:INT, t.x), t.y)", "t.y * (t.x + 1)"),
        ("-(t.x)", "-t.x"),
        ("AND(<(1:INT, t.x), OR(<(t.x, 9:INT), t.z))", "t.x > 1 AND (t.x < 9 OR t.z)"),
        ("OR(=(1:INT, t.x), =(2:INT, t.x))", "t.x IN (1, 2)"),
        ("AND(<>('a', t.k), <>('b, c', t.k))", "t.k NOT IN ('a', 'b, c')"),
        ("OR(=(1:INT, t.x), =(2:INT, t.y))", "t.x = 1 OR t.y = 2"),
        ("NOT(LIKE(t.k, 'a%'))", "t.k NOT LIKE 'a%'"),
        ("NOT(OR(t.x, t.y))", "NOT (t.x OR t.y)"),
        ("IS NOT NULL(t.x)", "t.x IS NOT NULL"),
        ("IS NOT TRUE(=(t.x, t.y))", "(t.x = t.y) IS NOT TRUE"),
        ("CAST(t.x AS VARCHAR(2147483647))", "CAST(t.x AS STRING)"),
        ("CAST(+(1:INT, t.x) AS BIGINT)", "CAST(t.x + 1 AS BIGINT)"),
        ("CASE(<(3:INT, t.x), 'a', NULL:CHAR(1))", "CASE WHEN t.x > 3 THEN 'a' ELSE NULL END"),
        ("EXTRACT(YEAR, t.ts)", "EXTRACT(YEAR FROM t.ts)"),
        ("FLOOR(t.ts, DAY)", "FLOOR(t.ts TO DAY)"),
        ("FLOOR(t.x)", "FLOOR(t.x)"),
        ("TRIM(BOTH, ' ', t.k)", "TRIM(BOTH ' ' FROM t.k)"),
        ("<(t.ts, CURRENT_TIMESTAMP())", "t.ts < CURRENT_TIMESTAMP"),
        ("+(86400000:INTERVAL DAY(2), t.ts)", "t.ts + INTERVAL '1' DAY"),
        ("+(1500:INTERVAL SECOND(3), t.ts)", "t.ts + INTERVAL '1.5' SECOND"),
        ("+(12:INTERVAL YEAR(2), t.ts)", "t.ts + INTERVAL '12' MONTH"),
        ("<(2020-01-01:DATE, t.d)", "t.d > DATE '2020-01-01'"),
        ("<(2020-01-01 00:00:01:TIMESTAMP(0), t.d)", "t.d > TIMESTAMP '2020-01-01 00:00:01'"),
        ("=(-1.5:DECIMAL(2, 1), t.x)", "t.x = -1.5"),
        ("=(true:BOOLEAN, t.z)", "t.z = TRUE"),
        ("SUM(t.x) FILTER (IS TRUE(<(3:INT, t.y)))", "SUM(t.x) FILTER (WHERE t.y > 3)"),
        ("COUNT(DISTINCT *(2:INT, t.x))", "COUNT(DISTINCT t.x * 2)"),
        ("*(2:INT, t.x) DESC NULLS LAST", "t.x * 2 DESC NULLS LAST"),
        (
            "CumulativeWindow(t.ts, maxSize=PT5M, step=PT1M)",
            "CUMULATE(t.ts, SIZE => INTERVAL '5' MINUTE, STEP => INTERVAL '1' MINUTE)",
        ),
        ("TUMBLING(t.ts, isTimeWindow=True, size=PT1H)", "TUMBLE(t.ts, SIZE => INTERVAL '1' HOUR)"),
        ("UNNEST_ROWS(ARRAY(t.v, t.w)).0", "UNNEST_ROWS(ARRAY(t.v, t.w)).0"),
        ("what (is) it", "what (is) it"),
    ],
)
def test_words(meaning: str, words: str) -> None:
    assert worded(meaning) == words


def ranges(*parts: str, null: str = "UNKNOWN") -> dict[str, Any]:
    """A search in ranges such as ``[1;2)``, ``(;3)``."""

    def bound(text: str) -> dict[str, Any]:
        kind = "CLOSED" if {"[", "]"} & set(text) else "OPEN"
        return {"value": int(text.strip("[]()")), "boundType": kind}

    def part(text: str) -> dict[str, Any]:
        lower, upper = text.split(";")
        found = {"lower": lower, "upper": upper}
        return {side: bound(end) for side, end in found.items() if len(end) > 1}

    sarg = {"ranges": [part(one) for one in parts], "nullAs": null}
    among = {"kind": "LITERAL", "sarg": sarg, "type": "INT NOT NULL"}
    return {"kind": "CALL", "internalName": "$SEARCH$1", "operands": [COLUMN, among]}


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (ranges("[1;1]", "[5;5]"), "t.x IN (1, 5)"),
        (ranges("(;1)", "(1;2)", "(2;)"), "t.x NOT IN (1, 2)"),
        (ranges("[3;7]"), "t.x >= 3 AND t.x <= 7"),
        (ranges("(3;7)", "[9;)"), "t.x >= 9 OR t.x > 3 AND t.x < 7"),
        (ranges("(;1)", "(2;)"), "t.x > 2 OR t.x < 1"),
        (ranges("(;1)", "(1;)", null="TRUE"), "t.x <> 1 OR t.x IS NULL"),
        (ranges("[1;2]", null="FALSE"), "t.x >= 1 AND t.x <= 2 AND t.x IS NOT NULL"),
    ],
)
def test_ranges(search: dict[str, Any], words: str) -> None:
    assert worded(spell(search, X)) == words


def test_each_bound_is_a_condition_of_its_own() -> None:
    assert [worded(one) for one in conjuncts(ranges("(3;7]"), X)] == ["t.x > 3", "t.x <= 7"]
