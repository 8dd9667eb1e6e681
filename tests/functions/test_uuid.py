"""UUID(): each row has one of its own, random and of version 4."""

from __future__ import annotations

import uuid

from sameriver import Session


def test_every_row_has_a_uuid_of_its_own() -> None:
    rows = ", ".join(f"({n})" for n in range(50))
    found = Session().sql(f"SELECT UUID() AS u FROM (VALUES {rows}) AS t(n)").to_polars()["u"]
    made = [uuid.UUID(text) for text in found]
    assert [str(one) for one in made] == found.to_list()
    assert {one.version for one in made} == {4}
    assert {one.variant for one in made} == {uuid.RFC_4122}
    assert len(set(made)) == len(made)
