"""Names follow the meaning of state, and nothing else."""

from __future__ import annotations

import json

import pytest

from sameriver.common.errors import ExternalError
from sameriver.flink.compiled import columns_of, read_plan, row_type
from sameriver.flink.meaning import StateNode, state_nodes
from sameriver.flink.names import named

from .queries import scripts, stored


def nodes(name: str) -> list[StateNode]:
    return list(state_nodes(read_plan(stored(name))))


def names(name: str, before: str | None = None) -> set[str]:
    old = None if before is None else named(stored(before))
    plan = read_plan(named(stored(name), old))
    return {
        node.name for node in plan if node.name and not node.name.startswith(("Source", "Sink"))
    }


def state(name: str, kind: str) -> StateNode:
    (found,) = (node for node in nodes(name) if node.kind == kind)
    return found


@pytest.mark.parametrize("name", scripts())
def test_every_stateful_node_has_a_name_of_its_own(name: str) -> None:
    plan = read_plan(named(stored(name)))
    found = [node.name for node in plan if node.name]
    assert len(found) == len(set(found)) == len(nodes(name))
    for node in plan:
        assert bool(node.name) or "state" not in node.data


@pytest.mark.parametrize("name", scripts())
def test_names_are_told_again_in_the_same_way(name: str) -> None:
    plan = named(stored(name))
    assert named(plan, plan) == plan == named(stored(name))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sum", "sum_where"),
        ("sum_where", "sum_where_other"),
        ("sum", "sum_having"),
        ("sum", "sum_shown_otherwise"),
        ("sum", "sum_ttl"),
        ("sum", "sum_mini_batch"),
        ("sum", "sum_joined"),
        ("one_insert", "two_inserts"),
        ("one_insert", "two_inserts_alike"),
        ("one_insert", "other_insert"),
        ("last", "last_where"),
        ("first", "first_column_more"),
        ("first", "first_mini_batch"),
        ("top", "top_rank_shown"),
        ("join", "join_where"),
        ("cumulate", "cumulate_where"),
        ("group_window", "group_window_shown"),
        ("united", "united_turned"),
        ("united_three", "united_three_turned"),
        ("sum", "sum_elsewhere"),
    ],
)
def test_an_edit_that_leaves_the_meaning_alone_leaves_the_name(old: str, new: str) -> None:
    assert names(old) <= names(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sum", "max"),
        ("sum", "avg"),
        ("sum", "sum_of_double"),
        ("sum", "sum_of_other"),
        ("sum", "sum_by_other"),
        ("sum", "sum_by_two"),
        ("sum", "sum_filter"),
        ("sum", "sum_and_count"),
        ("sum", "sum_taken_back"),
        ("sum", "sum_of_joined"),
        ("sum", "sum_two_phases"),
        ("sum", "unnested"),
        ("sum", "united"),
        ("sum_and_count", "count_and_sum"),
        ("sum_two_phases", "distinct_split"),
        ("last", "last_column_more"),
        ("first", "last"),
        ("top", "top_more"),
        ("join", "join_column_more"),
        ("join", "left_join"),
        ("interval_join", "interval_join_wider"),
        ("cumulate", "cumulate_longer"),
        ("cumulate", "cumulate_and_count"),
        ("cumulate", "cumulate_two_phases"),
        ("over", "over_longer"),
        ("dated", "dated_elsewhere"),
        ("united", "self_union"),
    ],
)
def test_another_meaning_has_another_name(old: str, new: str) -> None:
    assert not names(old) & names(new, old)


def test_two_sides_of_one_table_are_told_apart() -> None:
    left, right = (
        state("self_join_left", "GroupAggregate"),
        state("self_join_right", "GroupAggregate"),
    )
    assert left.items("aggregate") == ("SUM(t.v)",)
    assert right.items("aggregate") == ("SUM(right(t.v))",)


def test_meanings_are_written_over_source_columns() -> None:
    node = state("sum_of_double", "GroupAggregate")
    assert node.label == "t.k"
    assert node.items("aggregate") == ("SUM(*(2:INT, t.v))",)
    assert state("sum_filter", "GroupAggregate").items("aggregate") == (
        "SUM(t.v) FILTER (IS TRUE(<(3:INT, t.w)))",
    )
    assert state("sum_where", "GroupAggregate").filters == ("<(3:INT, t.w)",)
    assert state("unnested", "GroupAggregate").items("aggregate") == (
        "SUM(UNNEST_ROWS(ARRAY(t.v, t.w)).0)",
    )
    assert state("interval_join", "IntervalJoin").items("key") == ("t.k = u.k",)


def test_two_phases_are_read_as_one() -> None:
    node = state("sum_two_phases", "GlobalGroupAggregate")
    assert node.items("key") == ("t.k",)
    assert node.items("aggregate") == ("SUM(t.v)",)
    assert state("cumulate_two_phases", "GlobalWindowAggregate").items("window") == state(
        "cumulate", "WindowAggregate"
    ).items("window")


def test_a_query_without_state_has_source_and_sink_only() -> None:
    assert [node.kind for node in nodes("stateless")] == ["Source", "Sink"]
    assert [node.kind for node in nodes("sorted_by_arrival")] == ["Source", "Sink"]


def test_a_sink_that_keeps_rows_in_order_has_a_state_of_that_meaning() -> None:
    assert state("upserted", "Sink").items("stored column") == ("c.k", "c.w")
    assert state("one_insert", "Sink").items("stored column") == ()


def test_alike_nodes_keep_their_names_by_what_reaches_them() -> None:
    """One of two filters changes: the other node is known by its own, so this one is left."""
    before = read_plan(named(stored("two_inserts_alike")))
    after = read_plan(
        named(stored("two_inserts_alike_other_filter"), named(stored("two_inserts_alike")))
    )
    by_sink = [
        {node.sinks: node.node.name for node in state_nodes(plan) if node.kind == "GroupAggregate"}
        for plan in (before, after)
    ]
    assert by_sink[0] == by_sink[1]


def test_one_of_two_alike_nodes_goes() -> None:
    assert names("one_insert", "two_inserts_alike") < names("two_inserts_alike")


def test_alike_nodes_that_can_not_be_told_apart_get_new_names() -> None:
    """Both filters and both sinks are exchanged at once: none may take the other's state."""
    data = json.loads(stored("two_inserts_alike"))
    turned = json.dumps(data).replace("`o1`", "`x`").replace("`o2`", "`y`")
    assert len(names("two_inserts_alike")) == 2
    before = named(turned)
    after = read_plan(named(stored("two_inserts_alike_other_filter"), before))
    kept = {node.name for node in read_plan(before)} & {node.name for node in after}
    shared = [node for node in state_nodes(after) if node.node.name in kept]
    assert {node.filters for node in shared if node.kind == "GroupAggregate"} == {
        ("<(3:INT, t.w)",)
    }


def test_a_source_that_reads_elsewhere_has_another_name() -> None:
    """Its position says what was read there."""
    moved = stored("sum").replace('"/t"', '"/elsewhere"')
    before, after = (read_plan(named(plan)) for plan in (stored("sum"), moved))
    shared = {node.name for node in before} & {node.name for node in after}
    assert {name.partition("-")[0] for name in shared} == {"", "GroupAggregate", "Sink"}


def test_what_over_computes_is_told_with_its_frame() -> None:
    (call,) = state("interval_rows", "GroupAggregate").items("aggregate")
    assert call.startswith("MAX(COUNT(*) OVER (partition key t.k; order t.ts")


def test_row_types_are_read_and_written() -> None:
    text = (
        "ROW<`a` ROW<`x` INT, `y` DECIMAL(10, 2)>, `b``c` VARCHAR(5) NOT NULL, `d` MAP<INT, INT>>"
    )
    columns = columns_of(text)
    assert [(one.name, one.type) for one in columns] == [
        ("a", "ROW<`x` INT, `y` DECIMAL(10, 2)>"),
        ("b`c", "VARCHAR(5) NOT NULL"),
        ("d", "MAP<INT, INT>"),
    ]
    assert columns_of(row_type(columns)) == columns


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"nodes": [{"id": 1}], "edges": []}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(ExternalError) as error:
        read_plan(text)
    assert error.value.code == "FOREIGN_PLAN"
