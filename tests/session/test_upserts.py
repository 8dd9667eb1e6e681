"""Frames of updates, and sinks that take upserts."""

from __future__ import annotations

import polars as pl
import pytest

from sameriver.common.errors import SameriverError, UserError
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


def test_frames_of_an_unknown_mode(session: Session) -> None:
    with pytest.raises(UserError, match="changelog-mode"):
        session.register("u", pl.DataFrame({"a": [1]}), changelog_mode="retract")
