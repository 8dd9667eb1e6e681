"""What ORDER BY, LIMIT and OFFSET may name, and what they mean."""

from __future__ import annotations

import pytest
from binding import DDL, bind

from sameriver.common.errors import UserError
from sameriver.plan import logical
from sameriver.plan.logical import Logical
from sameriver.plan.physical.ordering import order_text


def query(text: str) -> Logical:
    return bind(f"{DDL}{text};")


def sort(text: str) -> logical.Sort:
    """The sorting at the top of a query, perhaps under the columns that it shows."""
    plan = query(text)
    found = plan.input if isinstance(plan, logical.Project) else plan
    assert isinstance(found, logical.Sort)
    return found


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("SELECT k, qty FROM Orders ORDER BY 2 DESC, k", "qty DESC, k ASC"),
        ("SELECT k AS qty, qty AS x FROM Orders ORDER BY qty", "qty ASC"),
        ("SELECT k FROM Orders ORDER BY qty NULLS LAST, ts", "qty ASC NULLS LAST, ts ASC"),
        ("SELECT k FROM Orders ORDER BY k DESC NULLS FIRST", "k DESC NULLS FIRST"),
        ("SELECT k FROM Orders ORDER BY k NULLS FIRST, k DESC", "k ASC"),
        ("SELECT qty + 1 AS q FROM Orders ORDER BY qty + 1", "q ASC"),
        ("SELECT k, SUM(qty) AS s FROM Orders GROUP BY k ORDER BY s, COUNT(*)", "s ASC, count ASC"),
        ("SELECT DISTINCT k FROM Orders ORDER BY Orders.k", "k ASC"),
        ("SELECT k AS a FROM Orders UNION ALL SELECT k FROM Other ORDER BY a", "a ASC"),
        ("VALUES (1), (2) ORDER BY 1 DESC", "EXPR$0 DESC"),
    ],
)
def test_keys_are_items_of_select_before_columns_of_from(text: str, order: str) -> None:
    assert order_text(sort(text).keys) == order


def test_hidden_keys_are_not_shown() -> None:
    assert query("SELECT k FROM Orders ORDER BY qty LIMIT 2").schema.names == ("k",)


@pytest.mark.parametrize(
    ("text", "limit", "offset"),
    [
        ("SELECT k FROM Orders LIMIT 3", 3, 0),
        ("SELECT k FROM Orders LIMIT 3 OFFSET 2", 3, 2),
        ("SELECT k FROM Orders OFFSET 2 ROWS FETCH FIRST 5 ROWS ONLY", 5, 2),
        ("SELECT k FROM Orders UNION ALL SELECT k FROM Other LIMIT 4", 4, 0),
        ("(SELECT k FROM Orders) LIMIT 4", 4, 0),
    ],
)
def test_limits(text: str, limit: int, offset: int) -> None:
    found = sort(text)
    assert (found.limit, found.offset) == (limit, offset)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k FROM (SELECT k, qty FROM Orders ORDER BY qty)",
        "WITH w AS (SELECT k FROM Orders ORDER BY qty) SELECT k FROM w",
        "(SELECT k FROM Orders ORDER BY qty) UNION ALL SELECT k FROM Other",
        "SELECT k FROM Orders ORDER BY 'a'",
    ],
)
def test_an_order_that_means_nothing_goes(text: str) -> None:
    def sorts(node: Logical) -> bool:
        return isinstance(node, logical.Sort) or any(map(sorts, logical.inputs(node)))

    assert not sorts(query(text))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT k FROM Orders ORDER BY 2", "ORDINAL_OUT_OF_RANGE"),
        ("SELECT k FROM Orders ORDER BY 0", "ORDINAL_OUT_OF_RANGE"),
        ("SELECT k AS a, qty AS a FROM Orders ORDER BY a", "AMBIGUOUS_COLUMN"),
        ("SELECT k FROM Orders ORDER BY arr", "NOT_COMPARABLE"),
        ("SELECT DISTINCT k FROM Orders ORDER BY qty", "NOT_SELECTED"),
        ("SELECT k FROM Orders GROUP BY k ORDER BY qty", "NOT_GROUPED"),
        ("SELECT k FROM Orders UNION ALL SELECT k FROM Other ORDER BY n", "UNKNOWN_COLUMN"),
        ("SELECT k FROM Orders LIMIT 1 + 1", "BAD_LIMIT"),
        ("SELECT k FROM Orders LIMIT 1 OFFSET 'a'", "BAD_LIMIT"),
    ],
)
def test_what_is_wrong_is_refused_with_a_place(text: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        query(text)
    assert caught.value.code == code
    assert caught.value.position is not None
