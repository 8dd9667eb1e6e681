"""Joins: names, what goes below them, keys and hints."""

from __future__ import annotations

from datetime import timedelta

import pytest
from binding import bind

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.plan.logical import JoinKind
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.planner import plan_job

DDL = """
CREATE TABLE a (k INT, x INT, s STRING, n INT NOT NULL) WITH ('connector' = 'case');
CREATE TABLE b (k BIGINT, y INT, m INT NOT NULL) WITH ('connector' = 'case');
CREATE TABLE c (z INT, y INT) WITH ('connector' = 'case');
CREATE VIEW v AS SELECT k, y FROM b;
"""
HOURS_36 = timedelta(hours=36)


def names(query: str) -> tuple[str, ...]:
    return bind(f"{DDL}{query};").schema.names


def joins(query: str) -> list[Join]:
    """The regular joins of a query's plan, outermost first."""
    (root,) = plan_job([bind(f"{DDL}{query};")], Config())
    found: list[Join] = []
    pending: list[PhysicalNode] = [root]
    while pending:
        node = pending.pop(0)
        found += [node] if isinstance(node, Join) else []
        pending += node.inputs
    return found


def shown(query: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What the join is on, and the filters below each side."""
    (join,) = joins(query)
    left, right = (input.scope().filters for input in join.inputs)
    return dict(join.details())["on"], left, right


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT * FROM a JOIN b ON a.k = b.k", "k x s n k0 y m"),
        ("SELECT b.*, a.k FROM a JOIN b ON a.k = b.k", "k y m k0"),
        ("SELECT * FROM a JOIN b USING (k)", "k x s n y m"),
        ("SELECT * FROM b NATURAL JOIN c", "y k m z"),
        ("SELECT * FROM b AS l NATURAL JOIN b AS r", "k y m"),
        ("SELECT * FROM a JOIN b USING (k) JOIN c USING (y)", "y k x s n m z"),
        ("SELECT c.y FROM b JOIN c USING (y)", "y"),
    ],
)
def test_columns_of_a_join(query: str, wanted: str) -> None:
    assert names(query) == tuple(wanted.split())


@pytest.mark.parametrize(
    ("kind", "nullable"),
    [("", "00"), ("LEFT", "01"), ("RIGHT", "10"), ("FULL", "11")],
)
def test_padded_sides_are_nullable(kind: str, nullable: str) -> None:
    schema = bind(f"{DDL}SELECT a.n, b.m FROM a {kind} JOIN b ON a.n = b.m;").schema
    assert [type.nullable for type in schema.types] == [flag == "1" for flag in nullable]


@pytest.mark.parametrize(
    ("code", "query"),
    [
        ("AMBIGUOUS_COLUMN", "SELECT k FROM a JOIN b ON a.k = b.k"),
        ("AMBIGUOUS_COLUMN", "SELECT y FROM a JOIN b USING (k) JOIN c ON c.z = a.x"),
        ("DUPLICATE_TABLE", "SELECT 1 FROM a JOIN b AS a ON TRUE"),
        ("BAD_JOIN", "SELECT 1 FROM a JOIN b USING (x)"),
        ("UNKNOWN_TABLE", "SELECT d.* FROM a JOIN b ON a.k = b.k"),
        ("UNKNOWN_COLUMN", "SELECT a.y FROM a JOIN b ON a.k = b.k"),
        ("NOT_BOOLEAN", "SELECT 1 FROM a JOIN b ON a.k"),
        ("WRONG_NUMBER_OF_COLUMNS", "SELECT 1 FROM a WHERE k IN (SELECT y, m FROM b)"),
        ("UNKNOWN_COLUMN", "SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.q = a.k)"),
        ("UNKNOWN_HINT_TABLE", "SELECT /*+ STATE_TTL('a' = '1d') */ 1 FROM a AS l, b"),
        ("UNKNOWN_HINT_TABLE", "SELECT /*+ JOIN_STATE_TTL('b' = '1d') */ 1 FROM a, v"),
        ("BAD_HINT", "SELECT /*+ JOIN_STATE_TTL() */ 1 FROM a, b"),
    ],
)
def test_wrong_joins(code: str, query: str) -> None:
    with pytest.raises(UserError) as caught:
        names(query)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT 1 FROM a JOIN b ON a.n = b.m AND a.x > 1", ("n = m", ("<(1:INT, a.x)",), ())),
        ("SELECT 1 FROM a, b WHERE a.n = b.m AND b.y > 1", ("n = m", (), ("<(1:INT, b.y)",))),
        ("SELECT 1 FROM a, b WHERE a.n < b.m", ("(n < m)", (), ())),
        ("SELECT 1 FROM a LEFT JOIN b ON a.n = b.m AND x > 1", ("n = m AND (x > 1)", (), ())),
        ("SELECT 1 FROM a LEFT JOIN b ON n = m AND y > 1", ("n = m", (), ("<(1:INT, b.y)",))),
        ("SELECT 1 FROM a LEFT JOIN b ON n = m WHERE x > 1", ("n = m", ("<(1:INT, a.x)",), ())),
        ("SELECT 1 FROM a LEFT JOIN b ON n = m WHERE y IS NULL", ("n = m", (), ())),
        ("SELECT 1 FROM a FULL JOIN b ON n = m AND x > 1", ("n = m AND (x > 1)", (), ())),
        ("SELECT 1 FROM a JOIN b ON n + 1 = m", ("$left_key0 = m", (), ())),
        (
            "SELECT 1 FROM a JOIN b ON m IS NOT DISTINCT FROM n",
            ("n IS NOT DISTINCT FROM m", (), ()),
        ),
    ],
)
def test_conditions_go_where_they_change_nothing(
    query: str, wanted: tuple[str, tuple[str, ...], tuple[str, ...]]
) -> None:
    assert shown(query) == wanted


def test_keys_of_different_types_are_compared_as_one() -> None:
    (join,) = joins("SELECT 1 FROM a JOIN b ON a.k = b.k")
    left, right = join.distribution or ((), ())
    assert join.left.schema[left[0]].plain == join.right.schema[right[0]].plain


def test_not_in_over_nullable_columns_is_aware_of_null() -> None:
    (join,) = joins("SELECT x FROM a WHERE x NOT IN (SELECT y FROM b)")
    assert (join.kind, join.null_aware, join.distribution) == (JoinKind.ANTI, True, ((), ()))
    (join,) = joins("SELECT x FROM a WHERE n NOT IN (SELECT m FROM b)")
    assert (join.null_aware, join.distribution) == (False, (("n",), ("m",)))


def test_hints_hold_for_the_sides_they_name() -> None:
    hints = "/*+ STATE_TTL('a' = '1 h', 'v' = '2 h'), JOIN_STATE_TTL('r' = '3 h') */"
    query = f"SELECT {hints} 1 FROM a JOIN v ON a.n = v.y JOIN c AS r ON r.z = a.n"
    outer, inner = joins(query)
    assert inner.ttl == (timedelta(hours=1), timedelta(hours=2))
    assert outer.ttl == (HOURS_36, timedelta(hours=3))


def test_a_hint_of_zero_keeps_a_side_for_ever() -> None:
    (join,) = joins("SELECT /*+ STATE_TTL('a' = '0') */ 1 FROM a JOIN b ON n = m")
    assert join.ttl == (None, HOURS_36)


def test_the_same_table_on_both_sides_has_two_meanings() -> None:
    (join,) = joins("SELECT l.x, r.x FROM a AS l JOIN a AS r ON l.k = r.n")
    assert len(set(join.meanings().values())) == len(join.schema)
