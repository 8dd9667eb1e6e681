"""Functions of dates, times and timestamps. TIMESTAMP_LTZ is seen in the session's zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl

from sameriver.common.errors import UserError
from sameriver.common.types import (
    APPROXIMATE,
    BIGINT,
    BOOLEAN,
    CHARACTERS,
    DATE,
    INT,
    INTERVAL_DAY_TIME,
    INTERVAL_YEAR_MONTH,
    INTERVALS,
    PROCTIME,
    STRING,
    DataType,
    Root,
    TimeAttribute,
    time,
    time_unit,
    timestamp,
    timestamp_ltz,
    to_polars,
)
from sameriver.common.zones import zone_named
from sameriver.functions import units
from sameriver.functions.by_constant import by_each_constant
from sameriver.functions.calendar import shift
from sameriver.functions.casts import cast
from sameriver.functions.failure import EvaluationError, fail_if_null, failure
from sameriver.functions.forms import (
    CLOCK,
    DAY,
    INSTANT,
    INTERVAL,
    LONG,
    MOMENT,
    NUMBER,
    PLAIN_MOMENT,
    SYMBOL,
    TEMPORAL,
    TEXT,
    WALL,
    WHOLE,
    Family,
    Form,
    fit,
    infer,
    wrong_arguments,
)
from sameriver.functions.julian import named
from sameriver.functions.mathematics import ceil_number, floor_number, whole_type
from sameriver.functions.parse import date_of, timestamp_of
from sameriver.functions.patterns import formatted, has_offset, parsed
from sameriver.functions.signature import (
    WATERMARK,
    Evaluation,
    Kernel,
    Operand,
    Resolved,
    ScalarFunction,
)
from sameriver.functions.zones import to_instant, to_wall

_Args = Sequence[pl.Expr]
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_MILLIS = timestamp(3)
_EPOCH = pl.lit(0).cast(pl.Date)
_FOUR_DIGIT_YEARS = (-62_167_219_200_000, 253_402_300_799_999)
"""First and last millisecond of the years 0 to 9999."""


_PRINTED = (-62_135_769_600, 8_210_266_790_400)
"""First and last second of the years that a text can show."""


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
    long = any(unit in units.fields_of(type) for type in (INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH))
    settle = infer(name, (TEMPORAL,), *([(INTERVAL,)] if long else []), result=BIGINT)

    def types(operands: Sequence[Operand]) -> Resolved:
        resolved = settle(operands)
        units.unit_of(unit, units.fields_of(resolved.parameters[0]))
        return resolved

    return ScalarFunction(
        name=name,
        infer=types,
        kernel=lambda e, args: units.extract(*_wall(e, 0, args[0]), unit),
    )


def _extract_types(operands: Sequence[Operand]) -> Resolved:
    forms: tuple[Form, ...] = ((SYMBOL, TEMPORAL), (SYMBOL, INTERVAL))
    resolved = infer("EXTRACT", *forms, result=BIGINT)(operands)
    units.unit_of(operands[0].value, units.fields_of(resolved.parameters[1]))
    return resolved


def _edge(number: Kernel, edge: Callable[[pl.Expr, DataType, str], pl.Expr]) -> Kernel:
    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        if len(args) == 1:
            return number(evaluation, args)
        unit = units.unit_of(evaluation.operands[1].value, units.MILLISECONDS | units.MONTHS)
        result = edge(*_wall(evaluation, 0, args[0]), unit)
        if evaluation.operands[0].type.root is Root.TIMESTAMP_LTZ:
            # By the offset of the value, not of the result, as in Flink.
            return args[0] + (result - _wall(evaluation, 0, args[0])[0])
        return result

    return kernel


def _edge_type(operands: Sequence[Operand]) -> DataType:
    if len(operands) == 2:
        units.unit_of(operands[1].value, units.MILLISECONDS | units.MONTHS)
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
    if evaluation.operands[1].type.root is Root.TIME:
        args = [args[0], *(_EPOCH.dt.combine(arg, time_unit="us") for arg in args[1:])]
    start, end = (arg.cast(pl.Datetime("ms")) for arg in args[1:])
    return units.difference(start, end, _MILLIS, unit)


def _time_between(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """``(a - b) DAY TO SECOND``."""
    if evaluation.operands[0].type.root is Root.TIME:
        args = [_EPOCH.dt.combine(arg, time_unit="ms") for arg in args]
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
        read = parsed(wall, _DEFAULT, lenient=True).cast(pl.Datetime("us"))
        wall = named(read, pl.Datetime("us"))
    return formatted(wall, _pattern(evaluation, 1))


def _from_unixtime(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Raises EvaluationError: OUT_OF_RANGE, when evaluated, where there is no such year."""
    dtype = pl.Datetime("ms", "UTC")
    near = pl.when(args[0].is_between(*_PRINTED)).then(args[0])
    instant = fail_if_null(
        (near * 1000).cast(dtype),
        args[0],
        dtype,
        "OUT_OF_RANGE",
        lambda seconds: f"{seconds} seconds from 1970 lie outside the years 1 to 262142",
    )
    wall = named(to_wall(instant, evaluation.zone), pl.Datetime("ms"))
    return formatted(wall, _pattern(evaluation, 1))


def _unix_timestamp(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Unreadable text gives Long.MIN_VALUE, as in Flink."""
    if not args:
        return pl.col(evaluation.now).dt.epoch("s").cast(pl.Int64)
    pattern = _pattern(evaluation, 1)
    wall = parsed(args[0], pattern, lenient=True).cast(pl.Datetime("us"))
    if has_offset(pattern):
        instant = wall.dt.replace_time_zone("UTC")
    else:
        instant = to_instant(wall, evaluation.zone, ambiguous="latest")
    seconds = instant.dt.epoch("s").cast(pl.Int64)
    return pl.when(args[0].is_not_null()).then(seconds.fill_null(-(2**63)))


def _to_timestamp(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """By the pattern, else as ``2020-01-31 10:20:30``, which Flink tries too."""
    standard = timestamp_of(pl.when(~args[0].str.starts_with(" ")).then(args[0]), _MILLIS)
    read = parsed(args[0], _pattern(evaluation, 1), lenient=False)
    patterned = (read // 1000).cast(pl.Datetime("ms"))
    return pl.coalesce(standard, patterned) if len(args) == 1 else pl.coalesce(patterned, standard)


def _to_timestamp_ltz(evaluation: Evaluation, args: _Args) -> pl.Expr:
    first = evaluation.operands[0].type
    if first.root in CHARACTERS:
        zone = zone_of("UTC" if len(args) < 3 else str(evaluation.operands[2].value))
        instant = to_instant(_to_timestamp(evaluation, args[:2]), zone)
        return instant if len(args) > 1 else _readable(instant, args[0], evaluation)
    precision = _epoch_precision(evaluation.operands)
    ticks = _in_milliseconds(args[0], first, precision)
    if precision <= 3:
        return _instant(ticks, 1)
    unit = time_unit(evaluation.result)
    by: int = 10 ** ({"ms": 3, "us": 6, "ns": 9}[unit] - precision)
    return (args[0].cast(pl.Int64, strict=False) * by).cast(pl.Datetime(unit, "UTC"))


def _readable(instant: pl.Expr, text: pl.Expr, evaluation: Evaluation) -> pl.Expr:
    return fail_if_null(
        instant,
        text,
        to_polars(evaluation.result),
        "BAD_TIMESTAMP",
        lambda shown: f"'{shown}' is no timestamp such as '2020-01-31 10:20:30'",
    )


def _in_milliseconds(value: pl.Expr, type: DataType, precision: int) -> pl.Expr:
    """Counts of ``10 ** -precision`` seconds; fractions count, huge ones stop as in Java."""
    by: int = 10 ** (3 - precision)
    if type.root in APPROXIMATE:
        return (
            pl.when(value.is_finite())
            .then(value * by)
            .clip(-(2**63) // 10**6, 2**63 // 10**6)
            .cast(pl.Int64, strict=False)
        )
    if type.root is Root.DECIMAL:
        return value.cast(pl.Int64, strict=False) * by
    near = pl.when(value.cast(pl.Int64).abs() < 2**53).then(value)
    return near.cast(pl.Int64) * by


def _epoch_precision(operands: Sequence[Operand]) -> int:
    value = operands[1].value if len(operands) == 2 else 3
    return value if isinstance(value, int) and 0 <= value <= 9 else 3


def _ltz_type(operands: Sequence[Operand]) -> DataType:
    """Raises UserError (UNKNOWN_ZONE) for a zone that does not exist."""
    if len(operands) == 3 and operands[1].value is None:
        raise wrong_arguments("TO_TIMESTAMP_LTZ", operands, ((TEXT, TEXT, TEXT),))
    if len(operands) == 3 and operands[2].is_literal:
        try:
            zone_of(str(operands[2].value))
        except EvaluationError as error:
            hint = "Write a name of the IANA time zones, such as 'Europe/Berlin', or 'UTC'."
            raise UserError(error.code, error.message, hint=hint) from None
    if operands[0].type.root in CHARACTERS:
        return timestamp_ltz(3)
    return timestamp_ltz(max(3, _epoch_precision(operands)))


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
        return zone_named(_DISTANCE.sub("GMT", name))
    except (ZoneInfoNotFoundError, ValueError):
        raise failure("UNKNOWN_ZONE", f"there is no time zone '{name}'") from None


_DISTANCE = re.compile(r"^(?:UTC)?(?=[+-]\d)")
"""``UTC+05:30`` and ``+05:30`` are ``GMT+05:30``."""
_SHORT_ZONES = {
    "PST": "America/Los_Angeles", "CST": "America/Chicago", "JST": "Asia/Tokyo",
    "IST": "Asia/Kolkata", "CTT": "Asia/Shanghai", "ECT": "Europe/Paris", "AET": "Australia/Sydney",
    "MST": "Etc/GMT+7", "EST": "Etc/GMT+5", "HST": "Etc/GMT+10", "GMT": "UTC",
}  # fmt: skip


def java_zone(name: str) -> ZoneInfo:
    """The zone of a name as Java's TimeZone knows it; UTC for what it does not know."""
    try:
        return zone_named(_SHORT_ZONES.get(name, name))
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def _to_date(evaluation: Evaluation, args: _Args) -> pl.Expr:
    if len(args) == 1:
        return date_of(pl.when(~args[0].str.contains("T")).then(args[0]))
    read = parsed(args[0], _pattern(evaluation, 1), lenient=True)
    return (read // 86_400_000_000).cast(pl.Int32).cast(pl.Date)


def _convert(evaluation: Evaluation, args: _Args) -> pl.Expr:
    source, target = (java_zone(str(evaluation.operands[n].value)) for n in (1, 2))
    wall = timestamp_of(pl.when(args[0].str.contains(":")).then(args[0]), _MILLIS)
    instant = to_instant(wall, source, ambiguous="latest")
    return formatted(to_wall(instant, target), _DEFAULT)


def _overlap_types(operands: Sequence[Operand]) -> Resolved:
    """Two starts of one type, each followed by an end or a length."""
    ends = (TEMPORAL, INTERVAL)
    forms = tuple((TEMPORAL, one, TEMPORAL, two) for one in ends for two in ends)
    parameters = fit("OVERLAPS", forms, operands)
    moments = {p.root for p in parameters if p.root not in INTERVALS}
    if len(moments) > 1:
        raise wrong_arguments("OVERLAPS", operands, forms)
    return Resolved(parameters, BOOLEAN.with_nullable(any(p.nullable for p in parameters)))


def _overlap(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Periods that only touch overlap too, as in Flink; their ends may be swapped.

    A bound that is NULL counts as a start; what is known of the others may still tell them apart.
    """
    types = [operand.type for operand in evaluation.operands]
    bounds: list[pl.Expr] = []
    for place in (0, 2):
        start, end = args[place], args[place + 1]
        if types[place + 1].root in INTERVALS:
            end = shift(start, end, types[place], types[place + 1])
        bounds += [pl.when(start <= end).then(start).otherwise(end)]
        bounds += [pl.when(start <= end).then(end).otherwise(start)]
    return (bounds[1] >= bounds[2]) & (bounds[3] >= bounds[0])


def _rowtime(operands: Sequence[Operand]) -> Resolved:
    """Only a row time has a watermark."""
    form: Form = (MOMENT,)
    fit("CURRENT_WATERMARK", (form,), operands)
    type = operands[0].type
    if type.attribute is not TimeAttribute.ROWTIME:
        raise wrong_arguments(
            "CURRENT_WATERMARK",
            operands,
            (form,),
            hint="It takes the column that a WATERMARK is declared for.",
        )
    instant = type.root is Root.TIMESTAMP_LTZ
    result = timestamp_ltz(3) if instant else timestamp(3)
    return Resolved((type,), result.with_nullable(True))


def _watermark(evaluation: Evaluation, _: _Args) -> pl.Expr:
    return pl.col(WATERMARK).cast(pl.Datetime("ms")).cast(to_polars(evaluation.result))


def _clock(name: str, result: DataType, *aliases: str) -> ScalarFunction:
    """A reading of the processing-time clock."""

    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        now = pl.col(evaluation.now)
        return cast(now, timestamp_ltz(3), result, evaluation.zone, attempt=False)

    return ScalarFunction(
        name=name,
        infer=infer(name, (), result=result, nullable=False),
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
    fallible: bool = False,
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, *forms, result=result, nullable=nullable),
        kernel=kernel,
        deterministic=deterministic,
        fallible=fallible,
        aliases=aliases,
    )


_PARTS = {
    "YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "WEEK": "WEEK", "DAYOFYEAR": "DOY",
    "DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW", "HOUR": "HOUR", "MINUTE": "MINUTE",
    "SECOND": "SECOND",
}  # fmt: skip
_EDGES: tuple[Form, ...] = ((NUMBER,), (TEMPORAL, SYMBOL))
_PAIRS: tuple[Form, ...] = ((DAY, DAY), (PLAIN_MOMENT, PLAIN_MOMENT), (INSTANT, INSTANT))
_DIGITS = Family("<constant int>", frozenset({Root.INT}), literal=True, typed=True)
_READ: tuple[Form, ...] = ((TEXT,), (TEXT, TEXT))

TEMPORALS = [
    *(_part(name, unit) for name, unit in _PARTS.items()),
    ScalarFunction(name="EXTRACT", infer=_extract_types, kernel=_extract),
    _function("FLOOR", _EDGES, _edge(floor_number, units.floor), _edge_type),
    _function("CEIL", _EDGES, _edge(ceil_number, units.ceil), _edge_type, "CEILING"),
    _function("TIMESTAMPADD", ((SYMBOL, WHOLE, TEMPORAL),), _add, _added_type, fallible=True),
    _function(
        "TIMESTAMPDIFF",
        ((SYMBOL, WALL, WALL), (SYMBOL, INSTANT, INSTANT), (SYMBOL, CLOCK, CLOCK)),
        _difference,
        INT,
    ),
    _function(
        "DATE_FORMAT",
        ((MOMENT, TEXT), (TEXT, TEXT)),
        by_each_constant(_date_format, 1),
        STRING,
        nullable=True,
    ),
    _function("- DAY TO SECOND", (*_PAIRS, (CLOCK, CLOCK)), _time_between, INTERVAL_DAY_TIME),
    _function("- YEAR TO MONTH", _PAIRS, _months_between, INTERVAL_YEAR_MONTH),
    ScalarFunction(name="OVERLAPS", infer=_overlap_types, kernel=_overlap, fallible=True),
    _function(
        "FROM_UNIXTIME",
        ((LONG,), (LONG, TEXT)),
        by_each_constant(_from_unixtime, 1),
        STRING,
        nullable=True,
        fallible=True,
    ),
    _function("UNIX_TIMESTAMP", ((), *_READ), by_each_constant(_unix_timestamp, 1), BIGINT),
    _function(
        "TO_TIMESTAMP",
        _READ,
        by_each_constant(_to_timestamp, 1, lenient=True),
        _MILLIS,
        nullable=True,
    ),
    _function(
        "TO_TIMESTAMP_LTZ",
        ((NUMBER,), (replace(NUMBER, typed=True), _DIGITS), *_READ, (TEXT, TEXT, TEXT)),
        by_each_constant(_to_timestamp_ltz, 1, 2, lenient=True),
        _ltz_type,
        nullable=True,
        fallible=True,
    ),
    _function("TO_DATE", _READ, by_each_constant(_to_date, 1), DATE, nullable=True),
    _function(
        "CONVERT_TZ",
        ((TEXT, TEXT, TEXT),),
        by_each_constant(_convert, 1, 2, lenient=True),
        STRING,
        nullable=True,
    ),
    _clock("CURRENT_TIMESTAMP", timestamp_ltz(3), "NOW", "CURRENT_ROW_TIMESTAMP"),
    _clock("LOCALTIMESTAMP", timestamp(3)),
    _clock("CURRENT_DATE", DATE),
    _clock("CURRENT_TIME", time(0), "LOCALTIME"),
    _clock("PROCTIME", PROCTIME),
    ScalarFunction(
        name="CURRENT_WATERMARK", infer=_rowtime, kernel=_watermark, deterministic=False
    ),
]
