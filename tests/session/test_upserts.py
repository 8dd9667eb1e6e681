"""Frames of updates, and sinks that take upserts."""

from __future__ import annotations

from collections import Counter

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import SYMBOLS
from sameriver.common.errors import SameriverError, UserError
from sameriver.connectors.frame import register_frames, release, written
from sameriver.session import Session


@pytest.fixture
def session() -> Session:
    return Session()


def column(session: Session, statement: str) -> list[object]:
    """The first column of a statement's table."""
    return session.sql(statement).to_polars().to_series().to_list()


def code(session: Session, script: str) -> str:
    with pytest.raises(SameriverError) as caught:
        session.execute(script)
    return caught.value.code


def test_frames_of_upserts_are_normalised(session: Session) -> None:
    frame = pl.DataFrame(
        {"$kind": ["+I", "+U", "+I", "-D"], "id": [1, 1, 2, 2], "n": [10, 11, 20, None]}
    )
    session.register("u", frame, primary_key=["id"], changelog_mode="upsert")
    assert session.sql("SELECT SUM(n) AS n FROM u").to_polars().rows() == [(11,)]
    assert column(session, "SELECT id FROM u") == [1]


def test_frames_of_all_changes(session: Session) -> None:
    frame = pl.DataFrame({"$kind": [0, 1, 2], "n": [1, 1, 2]})
    session.register("c", frame, changelog_mode="all")
    assert column(session, "SELECT n FROM c") == [2]


def test_a_frame_with_a_change_that_its_table_does_not_have(session: Session) -> None:
    frame = pl.DataFrame({"$kind": ["+I", "-U"], "n": [1, 1]})
    session.register("u", frame, primary_key=["n"], changelog_mode="upsert")
    assert code(session, "CREATE TABLE p WITH ('connector' = 'blackhole') AS SELECT n FROM u") == (
        "BAD_CHANGE_KIND"
    )


def test_upserts_without_a_key_are_refused_at_once(session: Session) -> None:
    frame = pl.DataFrame({"$kind": ["+U"], "id": [1]})
    with pytest.raises(UserError) as caught:
        session.register("u", frame, changelog_mode="upsert")
    assert caught.value.code == "MISSING_PRIMARY_KEY"
    assert "primary_key=[...]" in caught.value.hint


def test_frames_of_an_unknown_mode(session: Session) -> None:
    with pytest.raises(UserError, match="changelog-mode"):
        session.register("u", pl.DataFrame({"a": [1]}), changelog_mode="retract")


# Finished input, against the table that the upserts add up to.

Upsert = tuple[str, int, int | None, int | None]
COLUMNS = {"$kind": pl.String, "id": pl.Int64, "k": pl.Int64, "v": pl.Int64}
UPSERTS = st.lists(
    st.tuples(
        st.sampled_from(["+I", "+U"]),
        st.integers(0, 4),
        st.one_of(st.none(), st.integers(0, 2)),
        st.integers(0, 3),
    )
    | st.tuples(st.just("-D"), st.integers(0, 4), st.none(), st.none()),
    max_size=25,
)


def table_of(upserts: list[Upsert]) -> pl.DataFrame:
    rows: dict[int, tuple[int, int | None, int | None]] = {}
    for kind, id, k, v in upserts:
        if kind == "-D":
            rows.pop(id, None)
        else:
            rows[id] = (id, k, v)
    schema = {name: type for name, type in COLUMNS.items() if name != "$kind"}
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row")


def registered(session: Session, name: str, upserts: list[Upsert], size: int) -> None:
    frame = pl.DataFrame(upserts, schema=COLUMNS, orient="row")
    parts = [frame.slice(start, size) for start in range(0, max(frame.height, 1), size)]
    session.register(name, parts, primary_key=["id"], changelog_mode="upsert")


OPTIONS = st.fixed_dictionaries(
    {
        "table.exec.mini-batch.enabled": st.sampled_from(["true", "false"]),
        "table.exec.state.ttl": st.sampled_from(["0", "1 d"]),
        "parallelism.default": st.sampled_from(["1", "3"]),
    }
)
QUERIES = [
    "SELECT id, k, v FROM a WHERE v > 1",
    "SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(v) AS m FROM a GROUP BY k",
    "SELECT a.id, b.id AS other, a.v + b.v AS s FROM a JOIN b ON a.k = b.k",
    "SELECT a.id, b.v FROM a LEFT JOIN b ON a.k = b.id",
    "SELECT a.id FROM a FULL JOIN b ON a.id = b.id",
    "SELECT id FROM a WHERE k IN (SELECT k FROM b)",
    "SELECT k FROM a UNION ALL SELECT k FROM b",
    "SELECT k, v FROM a INTERSECT SELECT k, v FROM b",
    "SELECT id, v FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY v) AS r FROM a) AS t"
    " WHERE r <= 2",
]


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=6, deadline=None)
@given(UPSERTS, UPSERTS, OPTIONS, st.integers(1, 9))
def test_queries_of_upserts_give_what_duckdb_gives(
    query: str, a: list[Upsert], b: list[Upsert], options: dict[str, str], size: int
) -> None:
    session = Session(options)
    for name, upserts in (("a", a), ("b", b)):
        registered(session, name, upserts, size)
    found = session.sql(query).to_polars().rows()
    with duckdb.connect() as other:
        for name, upserts in (("a", a), ("b", b)):
            other.register(name, table_of(upserts))
        assert Counter(found) == Counter(other.sql(query).fetchall())


SINKS = [
    ("SELECT id, k, v FROM a", "id"),
    ("SELECT id, k, v FROM a WHERE v > 1", "id"),
    ("SELECT id, k, v FROM a", "id, v"),
    ("SELECT k AS id, COUNT(*) AS k, SUM(v) AS v FROM a WHERE k IS NOT NULL GROUP BY k", "id"),
    ("SELECT k AS id, MAX(v), MIN(v) FROM a GROUP BY k HAVING MAX(v) < 3 AND k >= 0", "id"),
    ("SELECT a.id, a.k, b.v FROM a LEFT JOIN b ON a.id = b.id", "id"),
    ("SELECT id, k, SUM(v) OVER (PARTITION BY id ORDER BY k) AS v FROM a", "id"),
    ("SELECT id, k, v FROM a ORDER BY v, id LIMIT 3", "id"),
    ("SELECT b.id, a.k, b.v FROM a JOIN b ON a.id = b.id WHERE a.v > 0", "id"),
    (
        "SELECT k AS id, v, r FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC)"
        " AS r FROM a WHERE k IS NOT NULL) WHERE r <= 2",
        "id, v",
    ),
]


def sink(number: str, key: str) -> str:
    columns = "id BIGINT, k BIGINT, v BIGINT"
    options = f"'connector' = 'frame', 'frame' = '{number}', 'changelog-mode' = 'upsert'"
    return f"CREATE TABLE s{number} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ({options});"


def written_upserts(session: Session, query: str, key: str) -> list[tuple[str, tuple[int, ...]]]:
    number = register_frames(pl.DataFrame())
    session.execute(f"{sink(number, key)} INSERT INTO s{number} {query};")
    changes = [
        (SYMBOLS[kind], row)
        for batch in written(number)
        for kind, row in zip(batch.kinds_or_inserts(), batch.rows.rows(), strict=True)
    ]
    release(number)
    return changes


@pytest.mark.parametrize(("query", "key"), SINKS)
@settings(max_examples=6, deadline=None)
@given(UPSERTS, UPSERTS, OPTIONS, st.integers(1, 9))
def test_a_sink_by_the_key_of_the_query_ends_as_its_table(
    query: str, key: str, a: list[Upsert], b: list[Upsert], options: dict[str, str], size: int
) -> None:
    session = Session(options)
    for name, upserts in (("a", a), ("b", b)):
        registered(session, name, upserts, size)
    assert "SinkMaterializer" not in _explained(session, query, key)
    places = [0] if key == "id" else [0, 2]  # of the columns id, k, v
    rows: dict[tuple[int, ...], tuple[int, ...]] = {}
    for kind, row in written_upserts(session, query, key):
        assert kind != "-U"
        own = tuple(row[place] for place in places)
        rows.pop(own, None)
        if kind != "-D":
            rows[own] = row
    assert Counter(rows.values()) == Counter(session.sql(query).to_polars().rows())


def _explained(session: Session, query: str, key: str) -> str:
    return session.explain(f"{sink('', key)} INSERT INTO s {query};")


@settings(max_examples=15, deadline=None)
@given(UPSERTS, OPTIONS, st.integers(1, 9))
def test_a_sink_by_another_key_shows_a_row_of_each_key(
    a: list[Upsert], options: dict[str, str], size: int
) -> None:
    session = Session(options)
    registered(session, "a", a, size)
    query = "SELECT COALESCE(k, 9) AS id, id AS k, v FROM a"
    assert "SinkMaterializer" in _explained(session, query, "id")
    rows: dict[int, tuple[int, ...]] = {}
    for kind, row in written_upserts(session, query, "id"):
        assert (row[0] in rows) == (kind != "+I")
        if kind == "-D":
            del rows[row[0]]
        else:
            rows[row[0]] = row
    there = session.sql(query).to_polars().rows()
    assert set(rows) == {row[0] for row in there}
    assert set(rows.values()) <= set(there)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.id, a.k, b.v FROM a LEFT JOIN b ON a.k = b.id",
        "SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY id) AS v FROM a",
    ],
)
@settings(max_examples=10, deadline=None)
@given(UPSERTS, UPSERTS, OPTIONS, st.integers(1, 9))
def test_updates_that_change_their_shard_end_in_order(
    query: str, a: list[Upsert], b: list[Upsert], options: dict[str, str], size: int
) -> None:
    session = Session(options)
    for name, upserts in (("a", a), ("b", b)):
        registered(session, name, upserts, size)
    assert "SinkMaterializer" in _explained(session, query, "id")
    rows: dict[int, tuple[int, ...]] = {}
    for kind, row in written_upserts(session, query, "id"):
        rows.pop(row[0], None)
        if kind != "-D":
            rows[row[0]] = row
    assert Counter(rows.values()) == Counter(session.sql(query).to_polars().rows())
