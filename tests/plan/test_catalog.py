"""Names of tables, views and functions."""

from __future__ import annotations

import pytest

from sameriver.common.errors import UserError
from sameriver.common.schema import Field, Schema
from sameriver.common.types import INT
from sameriver.plan.catalog import Catalog
from sameriver.plan.table import Table

_FIELDS = (Field("a", INT),)
_TABLE = Table(name="t", schema=Schema(_FIELDS), physical=_FIELDS)


def _code(error: pytest.ExceptionInfo[UserError]) -> str:
    assert error.value.hint
    return error.value.code


def test_a_table_is_found_by_each_form_of_its_name() -> None:
    catalog = Catalog()
    catalog.add(("t",), _TABLE)
    for parts in (("t",), ("default_database", "t"), ("default_catalog", "default_database", "t")):
        assert catalog.get(parts) is _TABLE


def test_names_are_case_sensitive() -> None:
    catalog = Catalog()
    catalog.add(("t",), _TABLE)
    assert catalog.find(("T",)) is None


def test_a_second_table_of_a_name_is_refused_unless_asked_for() -> None:
    catalog = Catalog()
    assert catalog.add(("t",), _TABLE)
    with pytest.raises(UserError) as caught:
        catalog.add(("t",), _TABLE)
    assert _code(caught) == "TABLE_EXISTS"
    assert not catalog.add(("t",), _TABLE, if_not_exists=True)
    assert catalog.add(("t",), _TABLE, replace=True)


def test_a_name_with_four_parts_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        Catalog().find(("a", "b", "c", "d"))
    assert _code(caught) == "BAD_NAME"


def test_drop_needs_the_right_kind() -> None:
    catalog = Catalog()
    catalog.add(("t",), _TABLE)
    with pytest.raises(UserError) as caught:
        catalog.drop("VIEW", ("t",))
    assert _code(caught) == "WRONG_KIND"
    assert catalog.drop("TABLE", ("t",))
    assert not catalog.drop("TABLE", ("t",), if_exists=True)
    with pytest.raises(UserError) as caught:
        catalog.drop("TABLE", ("t",))
    assert caught.value.code == "UNKNOWN_TABLE"


def test_use_moves_to_another_database() -> None:
    catalog = Catalog()
    catalog.add(("t",), _TABLE)
    catalog.create_database(("db",))
    catalog.use("DATABASE", ("db",))
    assert catalog.find(("t",)) is None
    assert catalog.get(("default_database", "t")) is _TABLE


def test_use_of_what_is_not_there_suggests_the_nearest() -> None:
    catalog = Catalog()
    catalog.create_database(("sales",))
    with pytest.raises(UserError) as caught:
        catalog.use("DATABASE", ("sale",))
    assert _code(caught) == "UNKNOWN_DATABASE"
    assert "'sales'" in caught.value.hint


def test_a_catalog_comes_with_a_database() -> None:
    catalog = Catalog()
    assert catalog.create_catalog("c")
    assert not catalog.create_catalog("c", if_not_exists=True)
    catalog.use("CATALOG", ("c",))
    assert catalog.namespace == ("c", "default")


def test_a_database_that_holds_tables_is_not_dropped() -> None:
    catalog = Catalog()
    catalog.create_database(("db",))
    catalog.add(("db", "t"), _TABLE)
    with pytest.raises(UserError) as caught:
        catalog.drop_namespace("DATABASE", ("db",))
    assert _code(caught) == "NOT_EMPTY"
    catalog.drop("TABLE", ("db", "t"))
    assert catalog.drop_namespace("DATABASE", ("db",))
    assert catalog.databases() == ["default_database"]


def test_the_current_database_is_not_dropped() -> None:
    with pytest.raises(UserError) as caught:
        Catalog().drop_namespace("DATABASE", ("default_database",))
    assert _code(caught) == "IN_USE"


def test_a_table_needs_a_database() -> None:
    with pytest.raises(UserError) as caught:
        Catalog().add(("nope", "t"), _TABLE)
    assert _code(caught) == "UNKNOWN_DATABASE"
