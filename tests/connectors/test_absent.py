"""Connectors that are known and can't run here."""

from __future__ import annotations

import pytest

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError
from sameriver.connectors.absent import ABSENT
from sameriver.connectors.registry import (
    CONNECTORS,
    accepts,
    changelog,
    check_options,
    connector,
    looked_up,
)
from sameriver.session import Session

UPSERTS = frozenset(ChangeKind) - {ChangeKind.UPDATE_BEFORE}
KAFKA = {"properties.bootstrap.servers": "localhost:9092", "topic": "t", "format": "json"}
DATABASE = {
    "hostname": "h", "username": "u", "password": "p", "database-name": "d", "table-name": "t",
}  # fmt: skip


def code(name: str, options: dict[str, str]) -> str:
    with pytest.raises(UserError) as caught:
        check_options(name, options)
    assert caught.value.hint
    return caught.value.code


@pytest.mark.parametrize("name", ABSENT)
def test_names_are_their_own(name: str) -> None:
    assert connector(name).name == name
    assert name not in CONNECTORS


def test_a_format_decides_what_kafka_carries() -> None:
    assert changelog("kafka", KAFKA) == {ChangeKind.INSERT} == accepts("kafka", KAFKA)
    updating = KAFKA | {"format": "canal-json"}
    assert changelog("kafka", updating) == frozenset(ChangeKind) == accepts("kafka", updating)
    assert code("kafka", KAFKA | {"format": "jsn"}) == "UNKNOWN_FORMAT"


def test_options_are_known() -> None:
    check_options("kafka", KAFKA | {"scan.startup.mode": "earliest-offset", "json.x": "y"})
    check_options("kafka", KAFKA, metadata=["timestamp"])
    assert code("kafka", KAFKA | {"topik": "t"}) == "UNKNOWN_OPTION"
    assert code("upsert-kafka", KAFKA) == "UNKNOWN_OPTION"
    assert code("jdbc", {"url": "jdbc:mysql://h/d"}) == "MISSING_OPTION"


def test_upserts() -> None:
    assert changelog("upsert-kafka", {}) == UPSERTS == accepts("upsert-kafka", {})
    assert accepts("jdbc", {}) == UPSERTS
    assert accepts("elasticsearch-7", {}) == UPSERTS


def test_logs_of_databases() -> None:
    check_options("mysql-cdc", DATABASE | {"port": "3306"})
    assert changelog("mysql-cdc", DATABASE) == frozenset(ChangeKind)
    assert changelog("postgres-cdc", {"changelog-mode": "upsert"}) == UPSERTS
    assert changelog("mongodb-cdc", {}) == UPSERTS
    wrong = DATABASE | {"schema-name": "s", "slot.name": "s", "changelog-mode": "some"}
    assert code("postgres-cdc", wrong) == "BAD_OPTION"


def test_some_are_looked_up() -> None:
    assert looked_up("jdbc", {})
    assert not looked_up("upsert-kafka", {})


DDL = """
CREATE TABLE rates (currency STRING, rate INT, PRIMARY KEY (currency) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1',
  'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE dim (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:mysql://h/d', 'table-name' = 't');
CREATE TABLE ones (id INT, pt AS PROCTIME()) WITH ('connector' = 'datagen', 'number-of-rows' = '1');
"""


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM rates",
        "INSERT INTO dim SELECT rate FROM rates",
        "INSERT INTO dim VALUES (1)",
        "SELECT ones.id FROM ones JOIN dim FOR SYSTEM_TIME AS OF ones.pt ON ones.id = dim.id",
    ],
)
def test_their_tables_are_explained_but_not_run(query: str) -> None:
    assert "== Physical Plan ==" in Session().explain(f"{DDL}{query};")
    with pytest.raises(UserError) as caught:
        list(Session().execute(f"{DDL}{query};")[-1].changes())
    assert caught.value.code == "CONNECTOR_NOT_INSTALLED"
    assert "'filesystem'" in (caught.value.hint or "")
