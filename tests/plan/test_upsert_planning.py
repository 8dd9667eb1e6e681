"""How upserts are read and written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from planned import ORDERS, aggregate, all_of, find, group, scan, select

from sameriver.common.changes import ChangeKind
from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.physical.changelog_normalize import ChangelogNormalize
from sameriver.plan.physical.drop_update_before import DropUpdateBefore
from sameriver.plan.physical.node import ALL_KINDS
from sameriver.plan.physical.scan import Scan
from sameriver.plan.physical.sink import Sink
from sameriver.plan.physical.sink_materializer import SinkMaterializer
from sameriver.plan.planner import plan_job
from sameriver.plan.table import Table

UPSERTS = frozenset({ChangeKind.INSERT, ChangeKind.UPDATE_AFTER, ChangeKind.DELETE})
KEYED = replace(ORDERS, primary_key=("id",))


def test_upserts_without_a_primary_key_are_refused() -> None:
    with pytest.raises(UserError, match=r"'orders' .*requires to define primary key") as raised:
        plan_job([scan()], Config(), lambda table: UPSERTS)
    assert raised.value.code == "MISSING_PRIMARY_KEY"


def test_upserts_are_normalised_by_the_primary_key_of_what_is_read() -> None:
    (root,) = plan_job([select(scan(KEYED), q="qty")], Config(), lambda table: UPSERTS)
    node = find(root, ChangelogNormalize)
    assert node.keys == ("id",)
    assert node.schema.names == ("id", "qty")
    assert root.changelog == ALL_KINDS


def test_each_query_normalises_what_it_reads_itself() -> None:
    queries = [select(scan(KEYED), q="qty"), select(scan(KEYED), k="k")]
    roots = plan_job(queries, Config(), lambda table: UPSERTS)
    assert [find(root, ChangelogNormalize).schema.names for root in roots] == [
        ("id", "qty"),
        ("id", "k"),
    ]
    assert len({find(root, Scan) for root in roots}) == 1


def test_upserts_that_move_a_watermark_come_one_by_one() -> None:
    (root,) = plan_job([select(scan(KEYED), t="ts")], Config(), lambda table: UPSERTS)
    assert not find(root, ChangelogNormalize).folded


def test_full_changes_are_normalised_where_they_may_come_twice() -> None:
    config = Config({"table.exec.source.cdc-events-duplicate": "true"})
    (root,) = plan_job([select(scan(KEYED), q="qty")], config, lambda table: ALL_KINDS)
    assert find(root, ChangelogNormalize)
    with pytest.raises(UserError, match="requires the changelog sources to define a PRIMARY KEY"):
        plan_job([scan()], config, lambda table: ALL_KINDS)
    assert not all_of(plan_job([scan()], config)[0], ChangelogNormalize)


def _into_upserts(query: logical.Logical, *key: str, **options: str) -> Sink:
    schema = query.schema
    sink = Table(name="s", schema=schema, physical=schema.fields, primary_key=key)
    config = Config({f"table.exec.sink.{k.replace('_', '-')}": v for k, v in options.items()})
    insert = logical.Insert(input=query, table=sink)
    return plan_job([insert], config, accepted=lambda table: UPSERTS)[0]


def test_a_sink_by_the_key_of_the_query_gets_upserts() -> None:
    root = _into_upserts(group(scan(), ("k",), aggregate("n", "COUNT")), "k")
    assert find(root, DropUpdateBefore).keys == ("k",)
    assert not all_of(root, SinkMaterializer)
    assert root.changelog == UPSERTS


def test_a_sink_by_another_key_gets_materialised_rows() -> None:
    query = group(scan(), ("k",), aggregate("n", "COUNT"))
    node = find(_into_upserts(query, "n"), SinkMaterializer)
    assert (node.keys, node.upsert_key) == (("n",), ("k",))
    assert [column.name for column in node.state()[0].key] == ["n", "k"]
    assert find(_into_upserts(query, "n", upsert_materialize="none"), DropUpdateBefore)


def test_rows_that_are_only_added_are_materialised_if_forced() -> None:
    query = select(scan(), id="id", k="k")
    assert not all_of(_into_upserts(query, "k"), SinkMaterializer)
    assert find(_into_upserts(query, "k", upsert_materialize="FORCE"), SinkMaterializer)
    with pytest.raises(UserError, match="upsert-materialize"):
        _into_upserts(query, "k", upsert_materialize="often")


def test_an_upsert_sink_needs_a_primary_key_for_updates() -> None:
    with pytest.raises(UserError) as raised:
        _into_upserts(group(scan(), ("k",), aggregate("n", "COUNT")))
    assert raised.value.code == "MISSING_PRIMARY_KEY"
