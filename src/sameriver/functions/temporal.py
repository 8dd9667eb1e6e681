"""Functions of dates, times and timestamps. TIMESTAMP_LTZ is seen in the session's zone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl

from sameriver.common.types import (
    BIGINT,
    CHARACTERS,
    DATE,
    INT,
    INTERVAL_DAY_TIME,
    INTERVAL_YEAR_MONTH,
    PROCTIME,
    STRING,
    DataType,
    Root,
    time,
    timestamp,
    timestamp_ltz,
)
from sameriver.functions import units
from sameriver.functions.casts import cast
from sameriver.functions.failure import failure
from sameriver.functions.forms import (
    CONSTANT,
    INSTANT,
    INTERVAL,
    LONG,
    MOMENT,
    NUMBER,
    SYMBOL,
    TEMPORAL,
    TEXT,
    WALL,
    WHOLE,
    Form,
    infer,
)
from sameriver.functions.mathematics import ceil_number, floor_number, whole_type
from sameriver.functions.parse import date_of, timestamp_of
from sameriver.functions.patterns import formatted, parsed
from sameriver.functions.signature import Evaluation, Kernel, Operand, ScalarFunction
from sameriver.functions.zones import to_instant, to_wall

_Args = Sequence[pl.Expr]
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_MILLIS = timestamp(3)
_FOUR_DIGIT_YEARS = (-62_167_219_200_000, 253_402_300_799_999)
"""First and last millisecond of the years 0 to 9999."""


def _wall(evaluation: Evaluation, position: int, value: pl.Expr) -> tuple[pl.Expr, DataType]:
    """The argument without a zone, and its type then."""
    type = evaluation.operands[position].type
    if type.root is Root.TIMESTAMP_LTZ:
        return to_wall(value, evaluation.zone), timestamp(type.precision or 0)
    return value, type


def _extract(evaluation: Evaluation, args: _Args) -> pl.Expr:
    unit = units.unit_of(evaluation.operands[0].value, units.FIELDS)
    return units.extract(*_wall(evaluation, 1, args[1]), unit)


def _part(name: str, unit: str) -> ScalarFunction:
    """YEAR(x) is EXTRACT(YEAR FROM x)."""
    return ScalarFunction(
        name=name,
        infer=infer(name, (TEMPORAL,), result=BIGINT),
        kernel=lambda e, args: units.extract(*_wall(e, 0, args[0]), unit),
    )


def _edge(number: Kernel, edge: Callable[[pl.Expr, DataType, str], pl.Expr]) -> Kernel:
    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        if len(args) == 1:
            return number(evaluation, args)
        unit = units.unit_of(evaluation.operands[1].value, units.MILLISECONDS | units.MONTHS)
        result = edge(*_wall(evaluation, 0, args[0]), unit)
        if evaluation.operands[0].type.root is Root.TIMESTAMP_LTZ:
            return to_instant(result, evaluation.zone)
        return result

    return kernel


def _edge_type(operands: Sequence[Operand]) -> DataType:
    return whole_type(operands) if len(operands) == 1 else operands[0].type


def _added_type(operands: Sequence[Operand]) -> DataType:
    unit = units.unit_of(operands[0].value, units.MILLISECONDS | units.MONTHS)
    type = operands[2].type
    days = unit in units.MONTHS or units.MILLISECONDS[unit] >= units.MILLISECONDS["DAY"]
    return type if type.root is not Root.DATE or days else timestamp(6)


def _add(evaluation: Evaluation, args: _Args) -> pl.Expr:
    unit = units.unit_of(evaluation.operands[0].value, units.MILLISECONDS | units.MONTHS)
    moment, type = args[2], evaluation.operands[2].type
    if type.root is not evaluation.result.root:
        moment = cast(moment, type, evaluation.result, evaluation.zone, attempt=False)
    return units.add(moment, evaluation.result, unit, args[1])


def _difference(evaluation: Evaluation, args: _Args) -> pl.Expr:
    unit = units.unit_of(evaluation.operands[0].value, units.MILLISECONDS | units.MONTHS)
    if evaluation.operands[1].type.root is Root.TIMESTAMP_LTZ:
        args = [args[0], *(arg.dt.replace_time_zone(None) for arg in args[1:])]
    start, end = (arg.cast(pl.Datetime("us")) for arg in args[1:])
    return units.difference(start, end, timestamp(6), unit)


def _time_between(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """``(a - b) DAY TO SECOND``."""
    end, start = (arg.cast(pl.Datetime("ms")) for arg in _zoneless(evaluation, args))
    return end - start


def _months_between(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """``(a - b) MONTH``: whole months."""
    end, start = (arg.cast(pl.Datetime("us")) for arg in _zoneless(evaluation, args))
    return units.difference(start, end, timestamp(6), "MONTH").cast(pl.Int32)


def _zoneless(evaluation: Evaluation, args: _Args) -> _Args:
    if evaluation.operands[0].type.root is not Root.TIMESTAMP_LTZ:
        return args
    return [arg.dt.replace_time_zone(None) for arg in args]


def _pattern(evaluation: Evaluation, position: int) -> str:
    if len(evaluation.operands) <= position:
        return _DEFAULT
    return str(evaluation.operands[position].value)


def _date_format(evaluation: Evaluation, args: _Args) -> pl.Expr:
    wall, type = _wall(evaluation, 0, args[0])
    if type.root in CHARACTERS:
        wall = (parsed(wall, _DEFAULT, lenient=True) // 1_000_000).cast(pl.Datetime("ms"))
    return formatted(wall, _pattern(evaluation, 1))


def _from_unixtime(evaluation: Evaluation, args: _Args) -> pl.Expr:
    instant = _instant(args[0], 1000)
    return formatted(to_wall(instant, evaluation.zone), _pattern(evaluation, 1))


def _unix_timestamp(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Unreadable text gives Long.MIN_VALUE, as in Flink."""
    if not args:
        return pl.col(evaluation.now).dt.epoch("s").cast(pl.Int64)
    read = parsed(args[0], _pattern(evaluation, 1), lenient=True)
    wall = (read // 1_000_000).cast(pl.Datetime("ms"))
    instant = to_instant(wall, evaluation.zone, ambiguous="latest")
    seconds = instant.dt.epoch("s").cast(pl.Int64)
    return pl.when(args[0].is_not_null()).then(seconds.fill_null(-(2**63)))


def _to_timestamp(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """By the pattern, else as ``2020-01-31 10:20:30``, which Flink tries too."""
    standard = timestamp_of(args[0], _MILLIS)
    read = parsed(args[0], _pattern(evaluation, 1), lenient=False)
    patterned = (read // 1_000_000).cast(pl.Datetime("ms"))
    return pl.coalesce(standard, patterned) if len(args) == 1 else pl.coalesce(patterned, standard)


def _to_timestamp_ltz(evaluation: Evaluation, args: _Args) -> pl.Expr:
    first = evaluation.operands[0].type
    if first.root in CHARACTERS:
        zone = zone_of("UTC" if len(args) < 3 else str(evaluation.operands[2].value))
        return to_instant(_to_timestamp(evaluation, args[:2]), zone)
    precision = evaluation.operands[1].value if len(args) == 2 else 3
    return _instant(args[0].cast(pl.Int64, strict=False), 1000 if precision == 0 else 1)


def _instant(number: pl.Expr, milliseconds: int) -> pl.Expr:
    """So many units after 1970; NULL outside the years 0 to 9999, as in Flink."""
    first, last = (bound // milliseconds for bound in _FOUR_DIGIT_YEARS)
    held = pl.when(number.is_between(first, last)).then(number)
    return (held * milliseconds).cast(pl.Datetime("ms", "UTC"))


def zone_of(name: str) -> ZoneInfo:
    """The zone of this name.

    Raises:
        EvaluationError: UNKNOWN_ZONE.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise failure("UNKNOWN_ZONE", f"there is no time zone '{name}'") from None


def _to_date(evaluation: Evaluation, args: _Args) -> pl.Expr:
    if len(args) == 1:
        return date_of(args[0])
    read = parsed(args[0], _pattern(evaluation, 1), lenient=True)
    return (read // 86_400_000_000_000).cast(pl.Int32).cast(pl.Date)


def _convert(evaluation: Evaluation, args: _Args) -> pl.Expr:
    source, target = (zone_of(str(evaluation.operands[n].value)) for n in (1, 2))
    wall = timestamp_of(args[0], _MILLIS)
    return formatted(to_wall(to_instant(wall, source), target), _DEFAULT)


def _clock(name: str, result: DataType, *aliases: str) -> ScalarFunction:
    """A reading of the processing-time clock."""

    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        now = pl.col(evaluation.now)
        return cast(now, timestamp_ltz(3), result, evaluation.zone, attempt=False)

    return ScalarFunction(
        name=name,
        infer=infer(name, (), (WHOLE,), result=result, nullable=False),
        kernel=kernel,
        deterministic=False,
        aliases=aliases,
    )


def _function(
    name: str,
    forms: tuple[Form, ...],
    kernel: Kernel,
    result: DataType | Callable[[Sequence[Operand]], DataType],
    *aliases: str,
    nullable: bool | None = None,
    deterministic: bool = True,
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=result, nullable=nullable),
        kernel=kernel,
        deterministic=deterministic,
        aliases=aliases,
    )


_PARTS = {
    "YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "WEEK": "WEEK", "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW", "HOUR": "HOUR", "MINUTE": "MINUTE",
    "SECOND": "SECOND",
}  # fmt: skip
_EDGES: tuple[Form, ...] = ((NUMBER,), (TEMPORAL, SYMBOL))
_PAIRS: tuple[Form, ...] = ((WALL, WALL), (INSTANT, INSTANT))
_READ: tuple[Form, ...] = ((TEXT,), (TEXT, CONSTANT))

TEMPORALS = [
    *(_part(name, unit) for name, unit in _PARTS.items()),
    _function("EXTRACT", ((SYMBOL, TEMPORAL), (SYMBOL, INTERVAL)), _extract, BIGINT),
    _function("FLOOR", _EDGES, _edge(floor_number, units.floor), _edge_type),
    _function("CEIL", _EDGES, _edge(ceil_number, units.ceil), _edge_type, "CEILING"),
    _function("TIMESTAMPADD", ((SYMBOL, WHOLE, TEMPORAL),), _add, _added_type),
    _function(
        "TIMESTAMPDIFF",
        ((SYMBOL, WALL, WALL), (SYMBOL, INSTANT, INSTANT)),
        _difference,
        INT,
    ),
    _function(
        "DATE_FORMAT",
        ((MOMENT, CONSTANT), (TEXT, CONSTANT)),
        _date_format,
        STRING,
        nullable=True,
    ),
    _function("- DAY TO SECOND", _PAIRS, _time_between, INTERVAL_DAY_TIME),
    _function("- YEAR TO MONTH", _PAIRS, _months_between, INTERVAL_YEAR_MONTH),
    _function("FROM_UNIXTIME", ((LONG,), (LONG, CONSTANT)), _from_unixtime, STRING, nullable=True),
    _function("UNIX_TIMESTAMP", ((), *_READ), _unix_timestamp, BIGINT),
    _function("TO_TIMESTAMP", _READ, _to_timestamp, _MILLIS, nullable=True),
    _function(
        "TO_TIMESTAMP_LTZ",
        ((NUMBER,), (NUMBER, WHOLE), *_READ, (TEXT, CONSTANT, CONSTANT)),
        _to_timestamp_ltz,
        timestamp_ltz(3),
        nullable=True,
    ),
    _function("TO_DATE", _READ, _to_date, DATE, nullable=True),
    _function("CONVERT_TZ", ((TEXT, CONSTANT, CONSTANT),), _convert, STRING, nullable=True),
    _clock("CURRENT_TIMESTAMP", timestamp_ltz(3), "NOW", "CURRENT_ROW_TIMESTAMP"),
    _clock("LOCALTIMESTAMP", timestamp(3)),
    _clock("CURRENT_DATE", DATE),
    _clock("CURRENT_TIME", time(0), "LOCALTIME"),
    _clock("PROCTIME", PROCTIME),
]
