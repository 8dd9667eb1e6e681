"""Lookup joins end to end: what is found, padded, refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.errors import SameriverError
from sameriver.session import Session

LEFT = pl.DataFrame({"id": [1, 2, 3, 4], "k": [1, 2, 9, None]})
DIM = pl.DataFrame({"k": [1, 2, 2], "name": ["one", "two", "zwei"]})


def made(left: pl.DataFrame = LEFT, dim: pl.DataFrame = DIM) -> Session:
    session = Session()
    session.register("l", left)
    session.register("dim", dim)
    return session


def rows(session: Session, query: str) -> list[tuple[object, ...]]:
    return session.sql(query).to_polars().rows()


def error(session: Session, script: str) -> SameriverError:
    with pytest.raises(SameriverError) as caught:
        session.execute(script)
    return caught.value


ON = "FOR SYSTEM_TIME AS OF PROCTIME() AS d ON l.k = d.k"


def test_inner_gives_all_rows_found_in_order() -> None:
    found = rows(made(), f"SELECT id, name FROM l JOIN dim {ON}")
    assert found == [(1, "one"), (2, "two"), (2, "zwei")]


def test_left_pads_what_is_not_found_in_place() -> None:
    query = f"SELECT id, d.k, name FROM l LEFT JOIN dim {ON} AND name <> 'one'"
    found = rows(made(), query)
    assert found == [
        (1, None, None),
        (2, 2, "two"),
        (2, 2, "zwei"),
        (3, None, None),
        (4, None, None),
    ]


def test_a_view_that_filters_and_computes_is_looked_up() -> None:
    session = made()
    session.execute(
        "CREATE VIEW v AS SELECT k AS code, UPPER(name) AS big,"
        " COALESCE(NULLIF(name, 'two'), 'x') AS y FROM dim WHERE name <> 'zwei';"
    )
    query = (
        "SELECT id, code, big, y FROM l LEFT JOIN v FOR SYSTEM_TIME AS OF PROCTIME() AS d"
        " ON l.k = d.code AND d.big <> 'ONE'"
    )
    assert rows(session, query) == [
        (1, None, None, None),
        (2, 2, "TWO", "x"),
        (3, None, None, None),
        (4, None, None, None),
    ]
    assert rows(session, query.replace("LEFT", "").replace("id, code, big, y", "y")) == [("x",)]


def test_a_column_of_processing_time_asks_for_a_lookup(tmp_path: Path) -> None:
    LEFT.write_ndjson(tmp_path / "l.jsonl")
    DIM.write_ndjson(tmp_path / "dim.jsonl")
    session = Session()
    for name, columns in (("l", "id INT, k INT, p AS PROCTIME()"), ("dim", "k INT, name STRING")):
        path = tmp_path / f"{name}.jsonl"
        session.execute(
            f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem',"
            f" 'path' = '{path}', 'format' = 'json')"
        )
    hints = "/*+ OPTIONS('lookup.cache' = 'FULL') */"
    query = f"SELECT id, name FROM l JOIN dim {hints} FOR SYSTEM_TIME AS OF l.p AS d ON l.k = d.k"
    assert rows(session, query) == [(1, "one"), (2, "two"), (2, "zwei")]


def test_keys_may_be_computed() -> None:
    query = f"SELECT id, name FROM l JOIN dim {ON.replace('l.k', 'l.k - 1')}"
    assert rows(made(), query) == [(2, "one")]


def test_aggregates_come_after_a_lookup() -> None:
    query = f"SELECT name, COUNT(*) FROM l JOIN dim {ON} GROUP BY name"
    assert sorted(rows(made(), query)) == [("one", 1), ("two", 1), ("zwei", 1)]


@settings(max_examples=25, deadline=None)
@given(
    left=st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 4)), max_size=12),
    dim=st.lists(st.tuples(st.none() | st.integers(0, 4), st.integers(0, 9)), max_size=8),
    kind=st.sampled_from(["JOIN", "LEFT JOIN"]),
    cache=st.sampled_from(["NONE", "PARTIAL", "FULL"]),
    size=st.integers(1, 5),
)
def test_gives_what_a_join_gives(
    left: list[tuple[int, int | None]],
    dim: list[tuple[int | None, int]],
    kind: str,
    cache: str,
    size: int,
) -> None:
    one = pl.DataFrame(left, schema={"id": pl.Int64, "k": pl.Int64}, orient="row")
    two = pl.DataFrame(dim, schema={"k": pl.Int64, "v": pl.Int64}, orient="row")
    session = made(one, two)
    session.execute(f"SET 'sameriver.batch.rows' = '{size}'")
    on = "ON l.k = d.k AND l.id <> d.v"
    hint = f"/*+ OPTIONS('lookup.cache' = '{cache}') */"
    moment = f"{hint} FOR SYSTEM_TIME AS OF PROCTIME()"
    found = rows(session, f"SELECT id, l.k, v FROM l {kind} dim {moment} AS d {on}")
    with duckdb.connect() as other:
        other.register("l", one.to_arrow())
        other.register("dim", two.to_arrow())
        query = f"SELECT id, l.k, v FROM l {kind} dim AS d {on}"
        expected = other.execute(query).fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_a_join_needs_an_equality_with_a_column_of_the_table() -> None:
    found = error(made(), f"SELECT id FROM l JOIN dim {ON.replace('=', '>')}")
    assert found.code == "BAD_TEMPORAL_JOIN"
    assert "requires an equality condition on fields of table" in found.message


def test_a_table_that_cannot_be_looked_up_is_refused() -> None:
    session = made()
    session.execute("CREATE TABLE g (k BIGINT) WITH ('connector' = 'datagen')")
    found = error(session, f"SELECT id FROM l JOIN g {ON}")
    assert found.code == "UNSUPPORTED"
    assert "processing-time temporal join is not supported yet" in found.message.lower()


def test_an_input_that_updates_takes_back_what_was_found() -> None:
    session = made()
    session.execute("SET 'sameriver.batch.rows' = '1'")
    view = "SELECT k, COUNT(*) AS n FROM (VALUES (1), (2), (1)) AS v (k) GROUP BY k"
    query = f"SELECT n, name FROM ({view}) AS l LEFT JOIN dim {ON}"
    assert sorted(rows(session, query)) == [(1, "two"), (1, "zwei"), (2, "one")]


HINT = "SELECT /*+ LOOKUP({}) */ id FROM l JOIN dim " + ON


def test_a_good_hint_changes_nothing() -> None:
    retry = "'retry-strategy' = 'fixed_delay', 'fixed-delay' = '1 s', 'max-attempts' = '3'"
    options = f"'table' = 'd', 'retry-predicate' = 'lookup_miss', {retry}, 'async' = 'true'"
    assert len(rows(made(), HINT.format(options))) == 3


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("'table' = 'dim'", "UNKNOWN_HINT_TABLE"),
        ("'async' = 'true'", "BAD_HINT"),
        ("'table' = 'd', 'async' = 'maybe'", "BAD_HINT"),
        ("'table' = 'd', 'capacity' = 'x'", "BAD_HINT"),
        ("'table' = 'd', 'max-attempts' = '3'", "BAD_HINT"),
        ("'table' = 'd', 'speed' = 'high'", "BAD_HINT"),
    ],
)
def test_a_bad_hint_is_refused(options: str, code: str) -> None:
    assert error(made(), HINT.format(options)).code == code
