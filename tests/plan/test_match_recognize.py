"""MATCH_RECOGNIZE: as bound and planned, and what it declares as state."""

from __future__ import annotations

import pytest

from sameriver import Session, UserError
from sameriver.plan.physical.match_recognize import MatchRecognize
from sameriver.plan.physical.node import PhysicalNode

DDL = """CREATE TABLE rides (id BIGINT, driver INT, city STRING, fare BIGINT, ts TIMESTAMP(3),
  pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
"""
CLAUSE = """SELECT * FROM rides MATCH_RECOGNIZE (PARTITION BY driver ORDER BY ts
  MEASURES FIRST(A.id) AS first_id, SUM(A.fare) AS total, B.fare AS last_fare
  PATTERN (A+ B) DEFINE A AS A.fare > 100, B AS B.fare <= LAST(A.fare)) AS m;"""


def planned(query: str) -> MatchRecognize:
    (plan,) = Session().plan(DDL + query)
    node: PhysicalNode = plan.roots[0]
    while not isinstance(node, MatchRecognize):
        (node,) = node.inputs
    return node


def test_the_result_has_the_partition_and_the_measures() -> None:
    schema = planned(CLAUSE).schema
    assert [(f.name, str(f.type)) for f in schema] == [
        ("driver", "INT"),
        ("first_id", "BIGINT"),
        ("total", "BIGINT"),
        ("last_fare", "BIGINT"),
    ]


def test_only_what_the_clause_names_is_read() -> None:
    assert planned(CLAUSE).input.schema.names == ("id", "driver", "fare", "ts")


def test_state_is_the_rows_and_the_matches_that_have_begun() -> None:
    rows, matches = planned(CLAUSE).state()
    assert [c.meaning for c in rows.columns] == [
        "rides.driver",
        "POSITION",
        "rides.id",
        "rides.fare",
        "rides.ts",
    ]
    assert [c.name for c in matches.columns] == [
        "driver",
        "match",
        "step",
        "first_position",
        "last_position",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(A+ B)", "(A B)"),
        ("A.fare > 100", "A.fare > 80"),
        ("B.fare AS last_fare", "B.id AS last_fare"),
        ("PATTERN (A+ B)", "AFTER MATCH SKIP PAST LAST ROW PATTERN (A+ B)"),
        ("PARTITION BY driver", "PARTITION BY driver, city"),
        ("ORDER BY ts", "ORDER BY pt"),
        ("(A+ B)", "(A+ B) WITHIN INTERVAL '1' HOUR"),
    ],
)
def test_each_part_of_the_clause_is_part_of_the_scope(old: str, new: str) -> None:
    assert planned(CLAUSE).scope() != planned(CLAUSE.replace(old, new)).scope()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AS first_id", "AS f"),
        ("(A+ B)", "( A +  B )"),
        (
            "A AS A.fare > 100, B AS B.fare <= LAST(A.fare)",
            "B AS LAST(A.fare) >= B.fare, A AS 100 < A.fare",
        ),
    ],
)
def test_what_means_the_same_keeps_the_scope(old: str, new: str) -> None:
    assert old in CLAUSE
    other = CLAUSE.replace(old, new)
    assert planned(CLAUSE).scope() == planned(other).scope()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("ORDER BY ts", "ORDER BY id", "NOT_A_TIME_ATTRIBUTE"),
        ("ORDER BY ts", "ORDER BY ts DESC", "NOT_A_TIME_ATTRIBUTE"),
        ("B AS B.fare", "C AS C.fare", "BAD_PATTERN"),
        ("(A+ B)", "(PERMUTE (A, B))", "BAD_PATTERN"),
        ("FIRST(A.id)", "FIRST(A.id, 1, 2)", "WRONG_ARGUMENTS"),
        ("FIRST(A.id)", "FIRST(A.idd)", "UNKNOWN_COLUMN"),
        ("PATTERN", "ALL ROWS PER MATCH PATTERN", "UNSUPPORTED"),
        ("PATTERN", "AFTER MATCH SKIP TO LAST C PATTERN", "BAD_PATTERN"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        planned(CLAUSE.replace(old, new))
    assert caught.value.code == code
    assert caught.value.position is not None
