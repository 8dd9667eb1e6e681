"""Types and errors of signatures; lookups."""

from __future__ import annotations

import contextlib

import pytest

from sameriver import functions
from sameriver.common import types as t
from sameriver.common.errors import UserError
from sameriver.common.types import DataType
from sameriver.functions.aggregates import aggregate_type
from sameriver.functions.casts import cast_allowed, implicit_cast_allowed
from sameriver.functions.coercion import common_type
from sameriver.functions.signature import Operand
from sameriver.functions.units import MONTHS, unit_of

from .calls import call, lit


def test_names_are_found_in_any_case_and_by_alias() -> None:
    upper = functions.scalar("SUBSTRING")
    assert upper is not None
    assert functions.scalar("substr") is upper
    assert functions.aggregate("stddev") is functions.aggregate("STDDEV_SAMP")
    assert functions.scalar("NO_SUCH") is None
    assert functions.aggregate("UPPER") is None


def test_names_are_what_a_call_can_be_named() -> None:
    names = functions.names()
    assert {"SUM", "SUBSTRING", "SUBSTR", "COALESCE"} <= set(names)
    assert names == sorted(names)
    assert all(" " not in name and name[0].isalpha() for name in names)


def test_wrong_arguments_name_the_function_what_it_got_and_what_it_takes() -> None:
    with pytest.raises(UserError) as error:
        call("SUBSTRING", 1, "a")
    assert error.value.code == "WRONG_ARGUMENTS"
    assert error.value.message == "'SUBSTRING' does not take (INT, CHAR(1))"
    assert "SUBSTRING(<string>, <integer>, <integer>)" in error.value.hint


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("UPPER", ()),
        ("+", (1, "a")),
        ("=", ("1", 1)),
        ("COALESCE", (1, "a")),
        ("CASE", (True, 1, "a")),
        ("CASE", (1, 1, 1)),
        ("EXTRACT", (1, 1)),
        ("ARRAY", (1, "a")),
        ("MAP", ("a",)),
        ("NULLIF", (1,)),
        ("IF", (True, 1)),
        ("JSON_VALUE", ("a",)),
        ("IN", (1,)),
        ("%", (1.5, 2)),
    ],
)
def test_wrong_arguments(name: str, args: tuple[object, ...]) -> None:
    with pytest.raises(UserError) as error:
        call(name, *args)
    assert error.value.code == "WRONG_ARGUMENTS"
    assert f"'{name}'" in error.value.message


def test_an_unknown_unit_says_what_there_is() -> None:
    with pytest.raises(UserError, match="UNKNOWN_UNIT"):
        unit_of("MOTH", MONTHS)


@pytest.mark.parametrize(
    ("name", "type", "result"),
    [
        ("SUM", t.INT, t.INT),
        ("SUM", t.TINYINT.not_null, t.TINYINT.not_null),
        ("SUM", t.decimal(10, 2), t.decimal(38, 2)),
        ("SUM", t.FLOAT, t.FLOAT),
        ("AVG", t.INT, t.INT),
        ("AVG", t.decimal(10, 2), t.decimal(38, 6)),
        ("AVG", t.decimal(20, 8), t.decimal(38, 8)),
        ("MIN", t.ROWTIME, t.timestamp(3)),
        ("COUNT", t.STRING, t.BIGINT.not_null),
        ("LISTAGG", t.STRING.not_null, t.STRING.not_null),
        ("COLLECT", t.INT, t.multiset(t.INT).not_null),
        ("STDDEV", t.DOUBLE, t.DOUBLE),
    ],
)
def test_aggregate_types(name: str, type: DataType, result: DataType) -> None:
    function = functions.aggregate(name)
    assert function is not None
    assert function.infer([Operand(type)]).result == result


def test_an_aggregate_that_may_see_no_row_is_nullable_but_for_count() -> None:
    operand = [Operand(t.INT.not_null)]
    assert aggregate_type("SUM", operand, empty=True) == t.INT
    assert aggregate_type("SUM", operand, empty=False) == t.INT.not_null
    assert aggregate_type("COUNT", operand, empty=True) == t.BIGINT.not_null


@pytest.mark.parametrize(
    ("types", "common"),
    [
        ((t.INT, t.BIGINT.not_null), t.BIGINT),
        ((t.INT.not_null, t.BIGINT.not_null), t.BIGINT.not_null),
        ((t.INT, t.decimal(5, 2)), t.decimal(12, 2)),
        ((t.FLOAT, t.INT), t.FLOAT),
        ((t.FLOAT, t.decimal(5, 2)), t.DOUBLE),
        ((t.char(1), t.char(3)), t.varchar(3)),
        ((t.NULL, t.INT.not_null), t.INT),
        ((t.timestamp(3), t.timestamp(6)), t.timestamp(6)),
        ((t.array(t.INT), t.array(t.BIGINT)), t.array(t.BIGINT)),
        ((t.STRING, t.INT), None),
        ((t.DATE, t.timestamp(3)), None),
        ((), None),
    ],
)
def test_common_type(types: tuple[DataType, ...], common: DataType | None) -> None:
    assert common_type(types) == common


@pytest.mark.parametrize(
    ("source", "target", "explicit", "implicit"),
    [
        (t.INT, t.BIGINT, True, True),
        (t.BIGINT, t.INT, True, False),
        (t.STRING, t.INT, True, False),
        (t.INT, t.STRING, True, False),
        (t.char(3), t.STRING, True, True),
        (t.INT, t.timestamp(3), False, False),
        (t.timestamp(3), t.BIGINT, False, False),
        (t.DATE, t.timestamp(3), True, True),
        (t.DATE, t.time(0), False, False),
        (t.NULL, t.INT, True, True),
        (t.array(t.INT), t.array(t.BIGINT), True, True),
        (t.array(t.INT), t.BIGINT, False, False),
        (t.map_of(t.INT, t.INT), t.STRING, True, False),
    ],
)
def test_what_casts(source: DataType, target: DataType, explicit: bool, implicit: bool) -> None:
    assert cast_allowed(source, target) is explicit
    assert implicit_cast_allowed(source, target) is implicit


def test_every_function_refuses_arguments_it_cannot_take_with_a_user_error() -> None:
    odd = Operand(DataType(root=t.Root.DESCRIPTOR))
    for name in functions.names():
        function = functions.scalar(name)
        if function is None:
            continue
        for count in (1, 9):
            with contextlib.suppress(UserError):
                function.infer([odd] * count)


def test_null_has_the_type_of_the_other_side() -> None:
    assert call("+", lit(None), 1).type == t.INT
    assert call("COALESCE", lit(None), 1).type == t.INT.not_null
