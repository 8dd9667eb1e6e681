"""Window TVFs and legacy group windows."""

from __future__ import annotations

import pytest
from binding import DDL, bind, columns, types

from sameriver.plan import logical
from sameriver.plan.logical import Logical, inputs
from sameriver.plan.window import WindowKind, WindowProperty

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def _tvf(call: str) -> logical.WindowTable:
    node: Logical = bind(f"{DDL}SELECT * FROM TABLE({call});")
    while not isinstance(node, logical.WindowTable):
        (node,) = inputs(node)
    return node


def _group_window(query: str) -> logical.GroupWindow:
    node: Logical = bind(f"{DDL}{query};")
    while not isinstance(node, logical.GroupWindow):
        (node,) = inputs(node)
    return node


@pytest.mark.parametrize(
    ("call", "kind", "size", "step", "offset"),
    [
        ("TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)", "TUMBLE", HOUR, None, 0),
        (
            "TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1:30' HOUR TO MINUTE, "
            "INTERVAL '-5' MINUTE)",
            "TUMBLE",
            90 * MINUTE,
            None,
            -5 * MINUTE,
        ),
        (
            "HOP(TABLE Orders, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1 12' DAY TO HOUR)",
            "HOP",
            36 * HOUR,
            5 * MINUTE,
            0,
        ),
        (
            "CUMULATE(DATA => TABLE Orders, TIMECOL => DESCRIPTOR(ts), "
            "STEP => INTERVAL '60' SECOND, SIZE => INTERVAL '1' DAY)",
            "CUMULATE",
            DAY,
            MINUTE,
            0,
        ),
        (
            "TUMBLE(TABLE Orders, DESCRIPTOR(ts), 2 * INTERVAL '1' HOUR)",
            "TUMBLE",
            2 * HOUR,
            None,
            0,
        ),
        ("TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1.5' SECOND)", "TUMBLE", 1500, None, 0),
        (
            "HOP(TABLE Orders, DESCRIPTOR(ts), INTERVAL '7' MINUTE, INTERVAL '1' HOUR)",
            "HOP",
            HOUR,
            7 * MINUTE,
            0,
        ),
    ],
)
def test_sizes_of_windows(call: str, kind: str, size: int, step: int | None, offset: int) -> None:
    window = _tvf(call).window
    found = (window.kind, window.size, window.step, window.offset, window.time)
    assert found == (WindowKind(kind), size, step, offset, "ts")


def test_a_session_may_be_partitioned() -> None:
    call = "SESSION(TABLE Orders PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
    window = _tvf(call).window
    assert (window.size, window.partition) == (10 * MINUTE, ("k",))


@pytest.mark.parametrize(
    ("table", "time", "type"),
    [
        ("Orders", "ts", "TIMESTAMP(3) NOT NULL *ROWTIME*"),
        ("Other", "lt", "TIMESTAMP_LTZ(3) NOT NULL *ROWTIME*"),
        ("Orders", "proc", "TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*"),
    ],
)
def test_a_window_adds_three_columns(table: str, time: str, type: str) -> None:
    query = (
        "SELECT window_start, window_end, window_time FROM "
        f"TUMBLE(TABLE {table}, DESCRIPTOR({time}), INTERVAL '1' HOUR)"
    )
    assert types(query) == ["TIMESTAMP(3) NOT NULL", "TIMESTAMP(3) NOT NULL", type]


def test_columns_of_a_window_keep_the_name_of_its_table() -> None:
    window = "TABLE(TUMBLE(TABLE Other, DESCRIPTOR(lt), INTERVAL '1' HOUR))"
    assert columns(f"SELECT Other.k FROM {window}") == ["k STRING NOT NULL"]
    assert columns(f"SELECT w.k FROM {window} AS w") == ["k STRING NOT NULL"]


def test_a_window_of_windowed_rows_numbers_its_columns() -> None:
    query = (
        "SELECT window_start, window_start0 FROM TUMBLE((SELECT * FROM TUMBLE(TABLE Orders, "
        "DESCRIPTOR(ts), INTERVAL '1' HOUR)), DESCRIPTOR(window_time), INTERVAL '1' DAY)"
    )
    assert types(query) == ["TIMESTAMP(3) NOT NULL"] * 2


def test_window_time_of_an_aggregate_can_be_windowed_again() -> None:
    query = (
        "WITH h AS (SELECT k, window_time AS wt, COUNT(*) AS c FROM "
        "TUMBLE(TABLE Orders, DESCRIPTOR(ts), INTERVAL '1' HOUR) "
        "GROUP BY k, window_start, window_end, window_time) "
        "SELECT window_end, SUM(c) AS c FROM TUMBLE(TABLE h, DESCRIPTOR(wt), INTERVAL '1' DAY) "
        "GROUP BY window_start, window_end"
    )
    assert columns(query) == ["window_end TIMESTAMP(3) NOT NULL", "c BIGINT NOT NULL"]


def test_the_alias_of_a_derived_table_can_name_the_time_column() -> None:
    query = (
        "SELECT COUNT(*) AS c FROM TUMBLE((SELECT * FROM (SELECT k, ts FROM Orders) AS t (a, b)), "
        "DESCRIPTOR(b), INTERVAL '1' HOUR) GROUP BY window_start, window_end"
    )
    assert columns(query) == ["c BIGINT NOT NULL"]


def test_a_group_window_gives_what_select_asks_for() -> None:
    query = (
        "SELECT k, TUMBLE_START(ts, INTERVAL '1' HOUR) AS s, TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) "
        "AS r, TUMBLE_PROCTIME(ts, INTERVAL '1' HOUR) AS p, COUNT(*) AS c "
        "FROM Orders GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR)"
    )
    node = _group_window(query)
    assert node.keys == ("k",)
    assert [part for _, part in node.properties] == [
        WindowProperty.START,
        WindowProperty.TIME,
        WindowProperty.PROCTIME,
    ]
    assert node.schema.names == ("k", "c", "window_start", "window_time", "proctime")
    assert columns(query) == [
        "k STRING",
        "s TIMESTAMP(3) NOT NULL",
        "r TIMESTAMP(3) *ROWTIME*",
        "p TIMESTAMP_LTZ(3) NOT NULL *PROCTIME*",
        "c BIGINT NOT NULL",
    ]


@pytest.mark.parametrize(
    ("call", "kind", "size", "step"),
    [
        ("HOP(ts, INTERVAL '5' MINUTE, INTERVAL '1' HOUR)", WindowKind.HOP, HOUR, 5 * MINUTE),
        ("HOP(ts, INTERVAL '7' MINUTE, INTERVAL '1' HOUR)", WindowKind.HOP, HOUR, 7 * MINUTE),
        ("SESSION(proc, INTERVAL '10' MINUTE)", WindowKind.SESSION, 10 * MINUTE, None),
    ],
)
def test_kinds_of_group_windows(call: str, kind: WindowKind, size: int, step: int | None) -> None:
    window = _group_window(f"SELECT COUNT(*) FROM Orders GROUP BY {call}").window
    assert (window.kind, window.size, window.step) == (kind, size, step)


def test_names_of_calls_and_window_parts_do_not_clash() -> None:
    query = (
        "SELECT COUNT(*) AS window_start, TUMBLE_START(ts, INTERVAL '1' HOUR) AS x "
        "FROM Orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)"
    )
    names = _group_window(query).schema.names
    assert len(set(names)) == len(names)
    assert columns(query) == ["window_start BIGINT NOT NULL", "x TIMESTAMP(3) NOT NULL"]


def test_the_rowtime_of_a_group_window_can_be_windowed_again() -> None:
    query = (
        "SELECT TUMBLE_END(r, INTERVAL '1' DAY) AS e, SUM(c) AS c FROM "
        "(SELECT TUMBLE_ROWTIME(ts, INTERVAL '1' HOUR) AS r, COUNT(*) AS c FROM Orders "
        "GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)) GROUP BY TUMBLE(r, INTERVAL '1' DAY)"
    )
    assert columns(query) == ["e TIMESTAMP(3) NOT NULL", "c BIGINT NOT NULL"]
