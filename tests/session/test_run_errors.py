"""Values that fail a job: the place in the script, the rows, and the way out."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import ExternalError, Session, udaf, udf, udtf
from sameriver.common.errors import Position, SameriverError
from sameriver.functions.python import PythonFunction


def run(script: str, session: Session) -> None:
    for result in session.execute(script):
        if result.is_query:
            result.to_polars()


def failure(script: str, session: Session | None = None) -> SameriverError:
    with pytest.raises(ExternalError) as caught:
        run(script, session or Session())
    return caught.value


def said(script: str, position: Position | None) -> str:
    """What the script says at a position."""
    assert position is not None
    line = script.splitlines()[position.line - 1]
    return line[position.column - 1 : position.column - 1 + position.length]


def over(rows: str, select: str) -> str:
    return f"CREATE VIEW t AS SELECT * FROM (VALUES {rows}) AS t (a, b, s);\n{select}"


@pytest.mark.parametrize(
    ("rows", "select", "code", "place", "hint"),
    [
        (
            "(6, 2, 'x'), (6, 0, 'y'), (8, 0, 'z')",
            "SELECT s, a + 1, (a * 2) / b AS q FROM t",
            "DIVISION_BY_ZERO",
            "(a * 2) / b",
            "Rows: a = 6, b = 0; a = 8, b = 0. Divide by NULLIF(b, 0) for NULL instead.",
        ),
        (
            "(1, 2, '3'), (3, 0, 'x')",
            "SELECT a FROM t WHERE b > 0 OR CAST(s AS INT) > 3",
            "CAST_FAILED",
            "CAST(s AS INT)",
            "Row: s = 'x'. TRY_CAST(s AS INT) gives NULL instead.",
        ),
        (
            "(4, 0, 'x'), (4, 2, 'y')",
            "SELECT CASE WHEN b <> 0 THEN a / b ELSE CAST(s AS INT) END FROM t",
            "CAST_FAILED",
            "CAST(s AS INT)",
            "Row: s = 'x'. TRY_CAST(s AS INT) gives NULL instead.",
        ),
        (
            "(1, 0, 'x')",
            "SELECT s, SUM(a % b) AS x FROM t GROUP BY s",
            "DIVISION_BY_ZERO",
            "a % b",
            "Row: a = 1, b = 0. Divide by NULLIF(b, 0) for NULL instead.",
        ),
        (
            "(1, 0, 'x')",
            "SELECT ARRAY[a, a][b] FROM t",
            "BAD_INDEX",
            "ARRAY[a, a][b]",
            "Row: a = 1, b = 0. The first element is [1].",
        ),
        (
            "(1, 0, 'x')",
            "SELECT t.a FROM t JOIN t AS u ON t.a = u.a AND t.a / u.b > 1",
            "DIVISION_BY_ZERO",
            "t.a / u.b",
            "Divide by NULLIF(b0, 0) for NULL instead.",
        ),
        (
            "(1, 0, 'x'), (2, 0, 'x')",
            "SELECT (SELECT a FROM t) FROM t",
            "MORE_THAN_ONE_ROW",
            "(SELECT a FROM t)",
            "Aggregate in the query, such as MAX(...), or add LIMIT 1.",
        ),
        (
            "(1, 0, '***')",
            "SELECT FROM_BASE64(s) FROM t",
            "BAD_BASE64",
            "FROM_BASE64(s)",
            "Row: s = '***'. Filter such rows out",
        ),
        (
            "(1, 0, 'x')",
            "SELECT CAST('x' AS DATE), b FROM t",
            "CAST_FAILED",
            "CAST('x' AS DATE)",
            "TRY_CAST('x' AS DATE) gives NULL instead.",
        ),
        (
            "(1, 0, 'x')",
            "SELECT * FROM (VALUES (1), (CAST('x' AS INT)))",
            "CAST_FAILED",
            "CAST('x' AS INT)",
            "TRY_CAST('x' AS INT) gives NULL instead.",
        ),
        (
            "(1, 0, 'x'), (2, 5, 'y'), (3, 1, 'z')",
            "CREATE TABLE o (a INT, b INT NOT NULL) WITH ('connector' = 'blackhole');\n"
            "INSERT INTO o SELECT a, NULLIF(b, 5) FROM t",
            "NULL_IN_NOT_NULL_COLUMN",
            "NULLIF(b, 5)",
            "Row: a = 2, b = NULL. Declare 'b' without NOT NULL",
        ),
        (
            "(1, 0, 'x')",
            "SELECT a, x FROM t, LATERAL TABLE(UNNEST_OF(a / b)) AS u (x)",
            "DIVISION_BY_ZERO",
            "a / b",
            "Row: a = 1, b = 0.",
        ),
    ],
)
def test_what_fails_is_told_with_its_place_and_rows(
    rows: str, select: str, code: str, place: str, hint: str
) -> None:
    session = Session()
    session.register_function("UNNEST_OF", udtf(result_types="INT")(lambda value: [value]))
    script = over(rows, select)
    error = failure(script, session)
    assert (error.code, said(script, error.position)) == (code, place)
    assert hint in error.hint


def test_within_a_view_the_place_is_that_in_the_view() -> None:
    script = (
        "CREATE VIEW v AS SELECT s, 1 / a AS inverse FROM (VALUES (0, 'x')) AS t (a, s);\n"
        "SELECT s FROM v WHERE inverse > 0;"
    )
    error = failure(script)
    assert said(script, error.position) == "1 / a"
    assert error.message == "1 is divided by zero, in '(1 / a)'"


def _odd(value: object) -> int:
    raise ValueError("odd")


@pytest.mark.parametrize(
    "function", [udf(result_type="INT")(_odd), udf(result_type="INT", func_type="vectorised")(_odd)]
)
def test_functions_in_python_are_told_with_their_call(function: PythonFunction) -> None:
    session = Session()
    session.register_function("strict", function)
    script = "SELECT a, strict(a + 1) FROM (VALUES (7)) AS t (a)"
    error = failure(script, session)
    assert (error.code, said(script, error.position)) == ("FUNCTION_FAILED", "strict(a + 1)")
    assert "ValueError: odd" in error.message
    assert "Row: a = 7. Mend the function" in error.hint


@udaf(result_type="INT")
class Broken:
    """An aggregate that takes no rows."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        raise ValueError("odd")

    def get_value(self, accumulator: list[int]) -> int:
        return 0


def test_aggregates_and_table_functions_in_python_are_told_with_their_place() -> None:
    session = Session()
    session.register_function("broken", Broken)
    session.register_function("many", udtf(result_types="INT")(_odd))
    script = "SELECT s, broken(a) AS x FROM (VALUES (7, 'x')) AS t (a, s) GROUP BY s"
    error = failure(script, session)
    assert said(script, error.position) == "broken(a)"
    script = "SELECT x FROM (VALUES (7)) AS t (a), LATERAL TABLE(many(a)) AS u (x)"
    error = failure(script, session)
    assert "many" in said(script, error.position)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["1", "2", "x"])), min_size=1),
    more=st.integers(0, 40),
)
def test_the_first_rows_that_fail_are_told(rows: list[tuple[int, str]], more: int) -> None:
    rows = [(1, "1")] * more + rows
    bad = [a for a, s in rows if a == 0 or s == "x"]
    session = Session()
    session.register("t", pl.DataFrame(rows, {"a": pl.Int32, "s": pl.String}, orient="row"))
    select = "SELECT CASE WHEN a = 0 THEN 1 / a WHEN a < 5 THEN CAST(s AS INT) END AS x FROM t"
    if not bad:
        session.sql(select).to_polars()
        return
    error = failure(select, session)
    divided = [a for a, _ in rows if a == 0]
    if divided:
        assert said(select, error.position) == "1 / a"
        assert ("Rows: " if len(divided) > 1 else "Row: ") in error.hint
        assert error.hint.count("a = 0") == min(3, len(divided))
    else:
        assert said(select, error.position) == "CAST(s AS INT)"
        assert error.hint.count("s = 'x'") == min(3, len(bad))
