"""Functions in Python: declared, registered, created and called."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import ExternalError, Session, UserError, udaf, udf, udtf
from sameriver.functions.python import PythonFunction


def session(function: PythonFunction | None = None) -> Session:
    """Has a table ``t`` and the function as ``f``."""
    made = Session()
    made.register("t", pl.DataFrame({"a": [1, 2, None], "s": ["x y", "", "z"]}))
    if function is not None:
        made.register_function("f", function)
    return made


def column(made: Session, query: str) -> list[Any]:
    return made.sql(query).to_polars().to_series().to_list()


@udf(result_type="BIGINT", input_types=["BIGINT"])
def double(n: int | None) -> int | None:
    return None if n is None else 2 * n


@udf(result_type="BIGINT", func_type="vectorised")
def total(a: pl.Series, b: pl.Series) -> pl.Series:
    return a + b


@udtf(result_types="ROW<word STRING, size INT>")
def words(text: str) -> Iterator[tuple[str, int]]:
    for word in text.split():
        yield word, len(word)


@udaf(result_type="DOUBLE", input_types=["BIGINT"])
class Mean:
    """The mean of numbers."""

    def create_accumulator(self) -> list[int]:
        return [0, 0]

    def accumulate(self, accumulator: list[int], n: int | None) -> None:
        if n is not None:
            accumulator[0] += n
            accumulator[1] += 1

    def retract(self, accumulator: list[int], n: int | None) -> None:
        if n is not None:
            accumulator[0] -= n
            accumulator[1] -= 1

    def merge(self, accumulator: list[int], others: list[list[int]]) -> None:
        for total, count in others:
            accumulator[0] += total
            accumulator[1] += count

    def get_value(self, accumulator: list[int]) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


class HalfDone:
    """An aggregate that gives nothing."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], n: int) -> None:
        accumulator.append(n)


class Product(HalfDone):
    """An aggregate that neither retracts nor merges."""

    def get_value(self, accumulator: list[int]) -> int:
        return math.prod(accumulator)


def test_a_function_is_called_with_values() -> None:
    assert column(session(double), "SELECT f(a) FROM t") == [2, 4, None]


def test_a_vectorised_function_is_called_with_series() -> None:
    assert column(session(total), "SELECT f(a, 1) FROM t") == [2, 3, None]


def test_a_call_of_constants_is_one_value_for_all_rows() -> None:
    assert column(session(total), "SELECT f(1, 2) FROM t") == [3, 3, 3]


def test_arguments_are_cast_where_sql_casts_by_itself() -> None:
    assert column(session(double), "SELECT f(CAST(a AS INT)) FROM t") == [2, 4, None]


def test_a_function_is_found_in_any_case_and_in_all_databases() -> None:
    made = session(double)
    made.execute("CREATE DATABASE other; USE other")
    assert column(made, "SELECT F(1), f(2)") == [2]


def test_a_branch_that_is_not_taken_calls_nothing() -> None:
    @udf(result_type="BIGINT")
    def strict(n: int) -> int:
        return 10 // (n - 1)

    query = "SELECT CASE WHEN a = 2 THEN f(a) ELSE 0 END FROM t"
    assert column(session(strict), query) == [0, 10, 0]


@pytest.mark.parametrize("kind", ["general", "vectorised"])
@settings(max_examples=15, deadline=None)
@given(values=st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=1, max_size=12))
def test_both_kinds_agree_with_python(kind: str, values: list[int | None]) -> None:
    made = Session()
    made.register("t", pl.DataFrame({"a": values}, schema={"a": pl.Int64}))
    by_value = udf(result_type="BIGINT")(lambda n: None if n is None else n * n)
    by_series = udf(result_type="BIGINT", func_type="vectorised")(lambda s: s * s)
    made.register_function("f", by_value if kind == "general" else by_series)
    query = "SELECT a, CASE WHEN a > 0 THEN f(a) END FROM t WHERE f(a) <> 4 OR a IS NULL"
    wanted = [
        (n, n * n if n is not None and n > 0 else None) for n in values if n is None or n * n != 4
    ]
    assert made.sql(query).to_polars().rows() == wanted


@pytest.mark.parametrize(
    ("type", "sql", "value"),
    [
        ("DECIMAL(10, 2)", "CAST(1.25 AS DECIMAL(10, 2))", Decimal("1.25")),
        ("DATE", "DATE '2026-01-02'", date(2026, 1, 2)),
        ("TIMESTAMP(3)", "TIMESTAMP '2026-01-02 03:04:05'", datetime(2026, 1, 2, 3, 4, 5)),
        ("TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(5, 3)", datetime(1970, 1, 1, 0, 0, 0, 5000, UTC)),
        ("BYTES", "X'0102'", b"\x01\x02"),
        ("ARRAY<INT>", "ARRAY[1, 2]", [1, 2]),
        ("MAP<STRING, INT>", "MAP['a', 1]", {"a": 1}),
    ],
)
def test_values_go_in_and_out_as_python_has_them(type: str, sql: str, value: object) -> None:
    seen: list[object] = []

    @udf(result_type=type, input_types=[type], deterministic=False)
    def same(given: object) -> object:
        seen.append(given)
        return given

    made = session(same)
    frame = made.sql(f"SELECT f({sql}) AS x, {sql} AS y FROM t").to_polars()
    assert seen[0] == value
    assert frame["x"].to_list() == frame["y"].to_list()


def test_a_row_is_a_dict_and_may_come_back_as_a_tuple() -> None:
    swap = udf(result_type="ROW<x INT, y STRING>")(lambda row: (row["b"], row["a"]))
    made = session(swap)
    query = "SELECT f(r).y FROM (SELECT CAST(ROW('p', 1) AS ROW<a STRING, b INT>) AS r)"
    assert column(made, query) == ["p"]


def test_a_function_fails_the_job_by_name_and_arguments() -> None:
    broken = udf(result_type="INT")(lambda a, s: 1 // 0)
    with pytest.raises(ExternalError) as caught:
        column(session(broken), "SELECT f(a, s) FROM t")
    assert caught.value.code == "FUNCTION_FAILED"
    assert "'F(1, 'x y')' failed with ZeroDivisionError" in caught.value.message


def test_a_value_of_another_type_is_told_with_its_arguments() -> None:
    wrong = udf(result_type="INT")(lambda a: "one" if a == 2 else a)
    with pytest.raises(ExternalError) as caught:
        column(session(wrong), "SELECT f(a) FROM t")
    assert caught.value.code == "BAD_RESULT"
    assert "'F(2)' gave 'one', which is no INT" in caught.value.message


@pytest.mark.parametrize(
    "given", [lambda a: a.head(1), lambda a: [1, 2, 3], lambda a: pl.Series(["x", "y", "z"])]
)
def test_a_vectorised_function_gives_a_series_of_its_rows(given: Any) -> None:
    made = session(udf(result_type="INT", func_type="vectorised")(given))
    with pytest.raises(ExternalError) as caught:
        column(made, "SELECT f(a) FROM t")
    assert caught.value.code == "BAD_RESULT"


def test_a_table_function_gives_rows_for_a_row() -> None:
    made = session(words)
    query = "SELECT a, word, size FROM t, LATERAL TABLE(f(s))"
    assert made.sql(query).to_polars().rows() == [(1, "x", 1), (1, "y", 1), (None, "z", 1)]


def test_a_left_join_keeps_rows_without_any() -> None:
    query = "SELECT a, w FROM t LEFT JOIN LATERAL TABLE(f(s)) AS x (w, n) ON TRUE"
    rows = session(words).sql(query).to_polars().rows()
    assert rows == [(1, "x"), (1, "y"), (2, None), (None, "z")]


def test_cross_and_outer_apply_are_such_joins() -> None:
    made = session(words)
    assert column(made, "SELECT w FROM t CROSS APPLY f(s) AS x (w, n)") == ["x", "y", "z"]
    assert len(column(made, "SELECT w FROM t OUTER APPLY f(s) AS x (w, n)")) == 4


def test_a_table_function_may_yield_single_values() -> None:
    made = session(udtf(result_types="INT")(lambda: [1, 2, 3]))
    assert column(made, "SELECT x FROM TABLE(f()) AS t (x)") == [1, 2, 3]


def test_grouping_by_a_call_needs_no_alias() -> None:
    made = session(double)
    rows = made.sql("SELECT f(a), COUNT(*) FROM t GROUP BY f(a)").to_polars().rows()
    assert sorted(rows, key=str) == [(2, 1), (4, 1), (None, 1)]


def test_the_meaning_of_state_names_the_function() -> None:
    assert "F(t.a)" in session(double).explain("SELECT f(a), COUNT(*) FROM t GROUP BY f(a)")


def test_create_function_imports_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from sameriver import udf\n@udf(result_type='INT')\ndef inc(n):\n    return n + 1\n"
    (tmp_path / "created_here.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    made = session()
    made.execute("CREATE TEMPORARY FUNCTION Inc AS 'created_here.inc' LANGUAGE PYTHON")
    assert column(made, "SELECT INC(1)") == [2]
    assert column(made, "SHOW USER FUNCTIONS") == ["Inc"]
    made.execute("DROP TEMPORARY FUNCTION inc")
    assert column(made, "SHOW USER FUNCTIONS") == []


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("CREATE FUNCTION g AS 'no_such_module.f' LANGUAGE PYTHON", "UNKNOWN_PYTHON_FUNCTION"),
        ("CREATE FUNCTION g AS 'math.no_such' LANGUAGE PYTHON", "UNKNOWN_PYTHON_FUNCTION"),
        ("CREATE FUNCTION g AS 'floor' LANGUAGE PYTHON", "UNKNOWN_PYTHON_FUNCTION"),
        ("CREATE FUNCTION g AS 'math.floor' LANGUAGE PYTHON", "NOT_A_FUNCTION"),
        ("CREATE FUNCTION g AS 'com.example.F'", "UNSUPPORTED"),
        ("DROP FUNCTION g", "UNKNOWN_FUNCTION"),
        ("SELECT f('x') FROM t", "WRONG_ARGUMENTS"),
        ("SELECT f(1, 2) FROM t", "WRONG_ARGUMENTS"),
        ("SELECT ff(1) FROM t", "UNKNOWN_FUNCTION"),
        ("SELECT g(s) FROM t", "WRONG_PLACE"),
        ("SELECT * FROM t, LATERAL TABLE(f(a))", "WRONG_PLACE"),
        ("SELECT * FROM t, LATERAL TABLE(h(a))", "UNKNOWN_FUNCTION"),
        ("SELECT * FROM t RIGHT JOIN LATERAL TABLE(g(s)) ON TRUE", "BAD_JOIN"),
        ("SELECT * FROM t LEFT JOIN LATERAL TABLE(g(s)) AS x (w, n) ON n > 1", "UNSUPPORTED"),
    ],
)
def test_what_is_wrong_is_told_with_a_place_and_a_way_out(statement: str, code: str) -> None:
    made = session(double)
    if "g(" in statement:
        made.register_function("g", words)
    with pytest.raises(UserError) as caught:
        made.sql(statement)
    assert caught.value.code == code
    assert caught.value.position is not None
    assert caught.value.hint


def test_built_in_names_are_taken() -> None:
    with pytest.raises(UserError, match="built-in function 'upper'"):
        session().register_function("upper", double)


def test_functions_without_types_are_refused() -> None:
    with pytest.raises(UserError, match="without SQL types"):
        session().register_function("g", len)  # type: ignore[arg-type]


def test_bad_declarations_are_refused() -> None:
    with pytest.raises(UserError, match="func_type 'pandas'"):
        udf(result_type="INT", func_type="pandas")
    with pytest.raises(UserError, match="not a data type"):
        udf(result_type="INTT")(len)
    with pytest.raises(UserError, match="no method 'get_value'"):
        udaf(result_type="INT")(HalfDone)


NUMBERS = pl.DataFrame(
    {
        "k": ["a", "b", "a", None, "a", "b"],
        "n": [1, 2, 3, 4, None, 6],
        "ts": [datetime(2026, 1, 1, 0, 0, second) for second in (1, 2, 11, 12, 13, 25)],
    }
)


@udaf(result_type="STRING", input_types=["BIGINT", "STRING"])
class Seen:
    """The arguments it was given, as JSON."""

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], n: int | None, k: str | None) -> None:
        accumulator.append([n, k])

    def retract(self, accumulator: list[Any], n: int | None, k: str | None) -> None:
        accumulator.remove([n, k])

    def merge(self, accumulator: list[Any], others: list[list[Any]]) -> None:
        for other in others:
            accumulator += other

    def get_value(self, accumulator: list[Any]) -> str:
        return json.dumps(accumulator)


def aggregating(function: PythonFunction | type[object] = Mean) -> Session:
    """Has ``numbers`` and the aggregate as ``f``."""
    made = Session()
    made.register("numbers", NUMBERS, watermark=("ts", "ts"))
    made.register_function("f", function)
    return made


WINDOWS = {
    "tumble": "TUMBLE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
    "hop": "HOP(TABLE numbers, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)",
    "cumulate": "CUMULATE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '5' SECOND,"
    " INTERVAL '20' SECOND)",
    "session": "SESSION(TABLE numbers, DESCRIPTOR(ts), INTERVAL '5' SECOND)",
}


@pytest.mark.parametrize("mini_batch", ["true", "false"])
@pytest.mark.parametrize("shards", ["1", "3"])
def test_an_aggregate_groups(mini_batch: str, shards: str) -> None:
    made = Session({"table.exec.mini-batch.enabled": mini_batch, "parallelism.default": shards})
    made.register("numbers", NUMBERS)
    made.register_function("f", Mean)
    query = "SELECT k, f(n), f(n) FILTER (WHERE n > 1), COUNT(*) FROM numbers GROUP BY k"
    rows = sorted(made.sql(query).to_polars().rows(), key=repr)
    assert rows == [("a", 2.0, 3.0, 3), ("b", 4.0, 4.0, 2), (None, 4.0, 4.0, 1)]


@pytest.mark.parametrize("window", list(WINDOWS))
def test_an_aggregate_runs_in_windows_as_the_built_in_one(window: str) -> None:
    query = (
        "SELECT window_start, window_end, {} FROM TABLE("
        + WINDOWS[window]
        + ") GROUP BY window_start, window_end"
    )
    made = aggregating()
    ours = made.sql(query.format("f(n)")).to_polars().rows()
    assert ours == made.sql(query.format("AVG(CAST(n AS DOUBLE))")).to_polars().rows()


@pytest.mark.parametrize("window", list(WINDOWS))
def test_distinct_gives_an_aggregate_each_value_once(window: str) -> None:
    made = aggregating()
    made.execute("CREATE VIEW twice AS SELECT * FROM numbers UNION ALL SELECT * FROM numbers;")
    made.register_function("seen", Seen)
    query = (
        f"SELECT k, window_end, seen(DISTINCT n, k), COUNT(DISTINCT n) FROM TABLE("
        f"{WINDOWS[window].replace('numbers', 'twice')}) GROUP BY k, window_start, window_end"
    )
    for _, _, shown, count in made.sql(query).to_polars().rows():
        values = json.loads(shown)
        assert len({json.dumps(value) for value in values}) == len(values)
        assert len([n for n, _ in values if n is not None]) == count


def test_distinct_values_may_be_null_and_are_taken_back() -> None:
    made = aggregating(Seen)
    query = "SELECT f(DISTINCT s, 'x') FROM (SELECT k, SUM(n) AS s FROM numbers GROUP BY k)"
    for mini_batch in ("true", "false"):
        made.execute(f"SET 'table.exec.mini-batch.enabled' = '{mini_batch}';")
        (shown,) = column(made, query)
        assert sorted(json.loads(shown), key=repr) == [[4, "x"], [8, "x"]]
    (shown,) = column(made, "SELECT f(DISTINCT n, 'x') FROM numbers")
    assert [None, "x"] in json.loads(shown)


@pytest.mark.parametrize(
    "frame",
    [
        "ORDER BY ts",
        "ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
        "ORDER BY ts RANGE BETWEEN INTERVAL '5' SECOND PRECEDING AND CURRENT ROW",
        "ORDER BY n",
    ],
)
@pytest.mark.parametrize("distinct", ["", "DISTINCT "])
def test_an_aggregate_runs_over_a_window_as_the_built_in_one(frame: str, distinct: str) -> None:
    made = aggregating()
    over = f"OVER (PARTITION BY k {frame})"
    query = f"SELECT f({distinct}n) {over}, AVG({distinct}CAST(n AS DOUBLE)) {over} FROM numbers"
    for ours, built_in in made.sql(query).to_polars().rows():
        assert ours == built_in


def test_an_aggregate_takes_rows_back() -> None:
    query = "SELECT f(s) FROM (SELECT k, SUM(n) AS s FROM numbers GROUP BY k)"
    for mini_batch in ("true", "false"):
        made = Session({"table.exec.mini-batch.enabled": mini_batch})
        made.register("numbers", [NUMBERS[:3], NUMBERS[3:]])
        made.register_function("f", Mean)
        assert column(made, query) == [pytest.approx(16 / 3)]


def test_an_aggregate_may_stand_in_having_only() -> None:
    query = "SELECT k FROM numbers GROUP BY k HAVING f(n) > 2"
    assert sorted(column(aggregating(), query), key=repr) == ["b", None]


def test_state_of_an_aggregate_is_text_of_its_own_meaning() -> None:
    shown = aggregating().explain("SELECT k, f(n) AS m FROM numbers GROUP BY k")
    assert "F(numbers.n)" in shown
    assert "independent  m " in shown


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("SELECT f(s) FROM (SELECT SUM(n) AS s FROM numbers GROUP BY k)", "retract"),
        (
            f"SELECT f(n) FROM TABLE({WINDOWS['hop']}) GROUP BY window_start, window_end",
            "merge",
        ),
    ],
)
def test_a_method_that_is_needed_is_asked_for(query: str, missing: str) -> None:
    made = aggregating(udaf(result_type="BIGINT")(Product))
    with pytest.raises(UserError, match=f"no method '{missing}'"):
        made.sql(query).to_polars()


def test_an_accumulator_has_to_be_json() -> None:
    class Dates(Product):
        def create_accumulator(self) -> Any:
            return [date(2026, 1, 1)]

    made = aggregating(udaf(result_type="BIGINT")(Dates))
    with pytest.raises(ExternalError) as caught:
        column(made, "SELECT f(n) FROM numbers")
    assert caught.value.code == "BAD_ACCUMULATOR"


def test_an_aggregate_fails_the_job_by_name_and_arguments() -> None:
    made = aggregating(udaf(result_type="BIGINT")(Product))
    with pytest.raises(ExternalError) as caught:
        column(made, "SELECT f(n) FROM numbers")
    assert "'F.get_value([1, 2, 3, 4, None, 6])' failed with TypeError" in caught.value.message


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT k FROM numbers WHERE f(n) > 1", "AGGREGATE_NOT_ALLOWED"),
        ("SELECT f(k) FROM numbers", "WRONG_ARGUMENTS"),
    ],
)
def test_where_aggregates_in_python_may_not_stand(query: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        aggregating().sql(query)
    assert caught.value.code == code
    assert caught.value.position is not None


def test_bitmaps_variants_and_objects_are_lists_text_and_dicts() -> None:
    @udf(result_type="STRING", input_types=["BITMAP", "VARIANT", "STRUCTURED<'x', n INT>"])
    def shown(numbers: list[int], document: str, thing: dict[str, int]) -> str:
        return f"{numbers} {document} {thing}"

    query = (
        "SELECT f(BITMAP_BUILD(ARRAY[2, -1]), PARSE_JSON('{\"b\": 1.0}'), OBJECT_OF('x', 'n', 3))"
    )
    assert column(session(shown), query) == ["[2, 4294967295] {\"b\":1} {'n': 3}"]


@pytest.mark.parametrize("type", ["BITMAP", "ARRAY<VARIANT>"])
def test_bitmaps_and_variants_are_made_in_sql_only(type: str) -> None:
    with pytest.raises(UserError, match=f"can't give a {type}") as error:
        udf(result_type=type)(lambda a: a)
    assert error.value.code == "UNSUPPORTED_TYPE"
