"""Generators of columns: random values within bounds, and sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation

import numpy as np
import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Field
from sameriver.common.time import parse_duration
from sameriver.common.types import (
    APPROXIMATE,
    BINARIES,
    CHARACTERS,
    INT,
    INTEGERS,
    INTERVALS,
    MAX_LENGTH,
    NUMERIC,
    TIMESTAMPS,
    DataType,
    Root,
    to_polars,
)
from sameriver.connectors.options import Options, bad_option, boolean, choice, integer


@dataclass(frozen=True, slots=True)
class Block:
    """Rows to make: their number, the first one's, a random generator and the clock in ms."""

    rows: int
    first: int
    random: np.random.Generator
    now: int

    def of(self, rows: int) -> Block:
        return Block(rows, self.first, self.random, self.now)


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes a column; ``rows`` is how many a sequence has, None if it never ends."""

    make: Callable[[Block], pl.Series]
    rows: int | None = None


def generator(field: Field, options: Options, prefix: str) -> Generator:
    """The generator of a field, by the options under ``prefix`` (``fields.<name>``).

    Raises:
        UserError: MISSING_OPTION, BAD_OPTION, UNSUPPORTED_TYPE.
    """
    kind = choice(options, f"{prefix}.kind", "random", ("random", "sequence"))
    if kind == "sequence":
        return _sequence(field, options, prefix)
    make = _random(field.type, options, prefix)
    rate = _null_rate(options, f"{prefix}.null-rate")
    if rate == 0:
        return Generator(make)

    def with_nulls(block: Block) -> pl.Series:
        kept = pl.Series(block.random.random(block.rows) >= rate)
        values = make(block)
        return values.zip_with(kept, pl.Series([None], dtype=values.dtype))

    return Generator(with_nulls)


def _null_rate(options: Options, key: str) -> float:
    try:
        rate = float(options.get(key, "0"))
    except ValueError:
        rate = -1
    if not 0 <= rate <= 1:
        raise bad_option(key, options[key], "a number from 0 to 1")
    return rate


def _sequence(field: Field, options: Options, prefix: str) -> Generator:
    if field.type.root not in (*NUMERIC, *CHARACTERS):
        raise UserError(
            "UNSUPPORTED_TYPE",
            f"column '{field.name}' is a {field.type.name}, which can't be a sequence",
            hint="Numbers and strings can; use kind 'random'.",
        )
    bounds: list[int] = []
    for bound in ("start", "end"):
        value = integer(options, f"{prefix}.{bound}", None, -(2**63))
        if value is None:
            raise UserError(
                "MISSING_OPTION",
                f"the sequence of column '{field.name}' needs option '{prefix}.{bound}'",
                hint=f"Add '{prefix}.start' = '1' and '{prefix}.end' = '1000'.",
            )
        bounds.append(value)
    start, end = bounds
    if end < start:
        raise bad_option(f"{prefix}.end", options[f"{prefix}.end"], f"a number of at least {start}")
    target = to_polars(field.type)

    def make(block: Block) -> pl.Series:
        low = start + block.first
        return pl.Series(np.arange(low, low + block.rows, dtype=np.int64)).cast(target)

    return Generator(make, end - start + 1)


Make = Callable[[Block], pl.Series]


def _random(type: DataType, options: Options, prefix: str) -> Make:
    match type.root:
        case Root.BOOLEAN:
            return lambda block: pl.Series(block.random.random(block.rows) < 0.5)
        case root if root in INTEGERS or root in INTERVALS:
            return _integers(type, options, prefix)
        case Root.DECIMAL:
            return _decimals(type, options, prefix)
        case root if root in APPROXIMATE:
            return _floats(type, options, prefix)
        case root if root in CHARACTERS or root in BINARIES:
            return _texts(type, options, prefix)
        case Root.DATE | Root.TIME:
            return _today(type)
        case root if root in TIMESTAMPS:
            return _past(type, options, prefix)
    return _nested(type, options, prefix)


_BITS = {Root.TINYINT: 8, Root.SMALLINT: 16, Root.INT: 32, Root.INTERVAL_YEAR_MONTH: 32}


def _integers(type: DataType, options: Options, prefix: str) -> Make:
    most = 2 ** (_BITS.get(type.root, 64) - 1) - 1
    low = integer(options, f"{prefix}.min", -most - 1, -most - 1)
    high = integer(options, f"{prefix}.max", most, -most - 1)
    assert low is not None
    assert high is not None
    _ordered(options, prefix, low, min(high, most))
    high, target = min(high, most), to_polars(type)
    return lambda block: pl.Series(
        block.random.integers(low, high, block.rows, dtype=np.int64, endpoint=True)
    ).cast(target)


def _ordered(options: Options, prefix: str, low: float | Decimal, high: float | Decimal) -> None:
    if low > high:
        key = f"{prefix}.max" if f"{prefix}.max" in options else f"{prefix}.min"
        raise bad_option(key, options[key], f"bounds so that min ({low}) is at most max ({high})")


def _number(options: Options, key: str, default: Decimal) -> Decimal:
    try:
        value = Decimal(options[key]) if key in options else default
    except InvalidOperation:
        raise bad_option(key, options[key], "a number") from None
    return value


def _decimals(type: DataType, options: Options, prefix: str) -> Make:
    precision, scale = type.precision or 10, type.scale or 0
    most = Decimal(10**precision - 1).scaleb(-scale)
    low = _number(options, f"{prefix}.min", -most)
    high = _number(options, f"{prefix}.max", most)
    _ordered(options, prefix, low, high)
    floor, span = low.scaleb(scale), high.scaleb(scale) - low.scaleb(scale)
    target = to_polars(type)

    def make(block: Block) -> pl.Series:
        share = pl.Series(block.random.integers(0, 10**18, block.rows, endpoint=True))
        if max(abs(low), abs(high)).scaleb(scale) < 10**18 and span < 10**18:
            units = block.random.integers(int(floor), int(floor + span), block.rows, endpoint=True)
            wide = pl.DataFrame({"u": units}).select(pl.col("u").cast(pl.Decimal(38, scale)))
            return (
                (wide.to_series() / 10**scale).cast(target)
                if scale
                else wide.to_series().cast(target)
            )
        part = share.cast(pl.Float64) / 1e18 * float(span) + float(floor)
        return (part / 10.0**scale).cast(target, strict=False)

    return make


def _floats(type: DataType, options: Options, prefix: str) -> Make:
    widest = np.finfo(np.float32 if type.root is Root.FLOAT else np.float64).max / 4
    low = float(_number(options, f"{prefix}.min", Decimal(float(-widest))))
    high = float(_number(options, f"{prefix}.max", Decimal(float(widest))))
    _ordered(options, prefix, low, high)
    target = to_polars(type)
    return lambda block: pl.Series(low + block.random.random(block.rows) * (high - low)).cast(
        target
    )


_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


def _texts(type: DataType, options: Options, prefix: str) -> Make:
    declared = type.precision if type.precision and type.precision < MAX_LENGTH else None
    length = integer(options, f"{prefix}.length", declared or 100, 1)
    assert length is not None
    varied = boolean(options, f"{prefix}.var-len")
    text = type.root in CHARACTERS

    def make(block: Block) -> pl.Series:
        digits = _HEX[block.random.integers(0, 16, block.rows * length, dtype=np.uint8)]
        least = 1 if varied else length
        size = block.random.integers(least, length, block.rows, endpoint=True)
        frame = pl.DataFrame({"at": np.arange(block.rows) * length, "size": size})
        raw = pl.lit(digits.tobytes(), dtype=pl.Binary)
        cut = frame.select(raw.bin.slice(pl.col("at"), pl.col("size"))).to_series()
        return cut.cast(pl.String) if text else cut

    return make


def _today(type: DataType) -> Make:
    """Always the present, as Flink has it."""
    target = to_polars(type)

    def make(block: Block) -> pl.Series:
        now = pl.Series([block.now]).cast(pl.Datetime("ms"))
        value = now.dt.date() if type.root is Root.DATE else now.dt.time()
        return value.cast(target).new_from_index(0, block.rows)

    return make


def _past(type: DataType, options: Options, prefix: str) -> Make:
    """The present less a random time up to ``max-past``."""
    past = parse_duration(options.get(f"{prefix}.max-past", "0 ms"))
    most = int(past.total_seconds() * 1000)
    target = to_polars(type)
    zone = "UTC" if type.root is Root.TIMESTAMP_LTZ else None

    def make(block: Block) -> pl.Series:
        back = block.random.integers(0, most, block.rows, endpoint=True)
        return pl.Series(block.now - back).cast(pl.Datetime("ms", zone)).cast(target)

    return make


def _nested(type: DataType, options: Options, prefix: str) -> Make:
    if type.root is Root.ROW:
        parts = [
            generator(Field(name, child), options, f"{prefix}.{name}").make
            for name, child in zip(type.names, type.children, strict=True)
        ]
        return lambda block: pl.DataFrame(
            [make(block).alias(name) for name, make in zip(type.names, parts, strict=True)]
        ).to_struct()
    length = integer(options, f"{prefix}.length", 3, 0)
    assert length is not None
    names = ("element",) if type.root is not Root.MAP else ("key", "value")
    inner = [
        generator(Field(name, child), options, f"{prefix}.{name}").make
        for name, child in zip(names, type.children, strict=True)
    ]
    if type.root is Root.MULTISET:
        inner.append(_integers(INT, {"c.min": "1", "c.max": "10"}, "c"))

    def make(block: Block) -> pl.Series:
        many = block.of(block.rows * length)
        values = [part(many) for part in inner]
        flat = values[0]
        if len(values) == 2:
            flat = pl.DataFrame([values[0].alias("key"), values[1].alias("value")]).to_struct()
        if length == 0 or block.rows == 0:
            return pl.Series([[]] * block.rows, dtype=pl.List(flat.dtype))
        return flat.reshape((block.rows, length)).cast(pl.List(flat.dtype))

    return make


def option_keys(field: Field, prefix: str) -> Iterator[str]:
    """Prefixes under which the options of a field and of what is in it stand."""
    yield prefix
    if not field.type.children:
        return
    names = field.type.names or ("element",)
    if field.type.root is Root.MAP:
        names = ("key", "value")
    for name, child in zip(names, field.type.children, strict=True):
        yield from option_keys(Field(name, child), f"{prefix}.{name}")
