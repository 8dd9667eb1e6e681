"""Lines of ``csv`` against a plain account of what Jackson writes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.common.changes import Changes
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, STRING, timestamp, timestamp_ltz
from sameriver.connectors.formats.csv_text import CsvRules, csv_rules
from sameriver.connectors.formats.csv_writer import CsvWriter

SCHEMA = Schema(
    (
        Field(name="text", type=STRING),
        Field(name="number", type=BIGINT),
        Field(name="moment", type=timestamp(6)),
        Field(name="instant", type=timestamp_ltz(3)),
    )
)
MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)) | st.builds(
    lambda seconds, millis: datetime(1969, 12, 31, 23, 59, 58) + seconds + millis,
    st.integers(0, 70).map(lambda number: timedelta(seconds=number)),
    st.sampled_from([0, 5, 120]).map(lambda number: timedelta(milliseconds=number)),
)
ROWS = st.lists(
    st.tuples(
        st.none() | st.text("ab ,;\"'\\\n\x01\u00e9\U0001f30d", max_size=90),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | MOMENTS,
        st.none() | MOMENTS.map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000)),
    ),
    max_size=12,
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "csv.field-delimiter": st.sampled_from([";", "\t", "a"]),
        "csv.quote-character": st.sampled_from(["'", "\x01"]),
        "csv.escape-character": st.sampled_from(["\\", '"', "b"]),
        "csv.disable-quote-character": st.sampled_from(["true", "false"]),
        "csv.null-literal": st.sampled_from(["", "n/a"]),
    },
)


def guarded(text: str, rules: CsvRules) -> str:
    if rules.escape is not None:
        text = text.replace(rules.escape, rules.escape * 2)
    if rules.quote is None:
        return text
    last = max(rules.separator, rules.quote, "\r", rules.escape or "")
    if len(text) <= 24 and all(character > last for character in text):
        return text
    return rules.quote + text.replace(rules.quote, rules.quote * 2) + rules.quote


def moment(value: datetime) -> str:
    shown = f"{value.year:04}-{value:%m-%d %H:%M:%S.%f}"
    return shown.rstrip("0").rstrip(".") if value.microsecond else shown[:-7]


def line(
    row: tuple[str | None, int | None, datetime | None, datetime | None], rules: CsvRules
) -> str:
    text, number, at, instant = row
    null = rules.null or ""
    cells = (
        null if text is None else guarded(text, rules),
        null if number is None else str(number),
        null if at is None else guarded(moment(at), rules),
        null if instant is None else guarded(moment(instant) + "Z", rules),
    )
    return rules.separator.join(cells) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@settings(max_examples=150, deadline=None)
@given(rows=ROWS, options=OPTIONS)
def test_lines_are_those_of_jackson(
    folder: Path,
    rows: list[tuple[str | None, int | None, datetime | None, datetime | None]],
    options: dict[str, str],
) -> None:
    rules, path = csv_rules(options), folder / "part.csv"
    path.write_bytes(b"")
    writer = CsvWriter(path, SCHEMA, rules)
    aware = [(*row[:3], row[3] and row[3].replace(tzinfo=UTC)) for row in rows]
    writer.write(Changes(pl.DataFrame(aware, SCHEMA.to_polars(), orient="row")))
    assert path.read_bytes().decode() == "".join(line(row, rules) for row in rows)
    assert writer.size == path.stat().st_size


@pytest.mark.parametrize(
    ("years", "shown"), [(-1971, "-0001"), (8030, "+10000"), (-1970, "0000"), (8029, "9999")]
)
def test_years_out_of_range(tmp_path: Path, years: int, shown: str) -> None:
    path = tmp_path / "part.csv"
    schema = Schema((Field(name="moment", type=timestamp(3)),))
    day = pl.Series("moment", [0]).cast(pl.Datetime("ms")).dt.offset_by(f"{years}y")
    CsvWriter(path, schema, csv_rules({})).write(Changes(day.to_frame()))
    assert path.read_text() == f'"{shown}-01-01 00:00:00"\n'


def test_many_rows_stay_in_order(tmp_path: Path) -> None:
    path, count = tmp_path / "part.csv", 100_000
    schema = Schema((Field(name="number", type=BIGINT), Field(name="moment", type=timestamp(3))))
    numbers = pl.Series("number", range(count))
    rows = pl.DataFrame([numbers, (numbers * 3_600_000).cast(pl.Datetime("ms")).alias("moment")])
    CsvWriter(path, schema, csv_rules({})).write(Changes(rows))
    start = datetime(1970, 1, 1)
    expected = (f'{n},"{start + timedelta(hours=n)}"\n' for n in range(count))
    assert path.read_text() == "".join(expected)


def test_a_packed_file_is_whole_after_each_write(tmp_path: Path) -> None:
    path = tmp_path / "part.csv.gz"
    schema = Schema((Field(name="number", type=BIGINT),))
    writer = CsvWriter(path, schema, csv_rules({}))
    for start in (0, 40_000):
        writer.write(Changes(pl.DataFrame({"number": range(start, start + 40_000)})))
        found = pl.read_csv(path, has_header=False).to_series()
        assert found.to_list() == list(range(start + 40_000))
    assert writer.size == path.stat().st_size


def test_the_ends_of_time_are_shown(tmp_path: Path) -> None:
    ends = pl.Series("moment", [-(2**63), 2**63 - 1]).cast(pl.Datetime("ns"))
    writer = CsvWriter(tmp_path / "f", Schema.of({"moment": timestamp(9)}.items()), csv_rules({}))
    writer.write(Changes(ends.to_frame()))
    assert (tmp_path / "f").read_text().splitlines() == [
        '"1677-09-21 00:12:43.145224192"',
        '"2262-04-11 23:47:16.854775807"',
    ]
