from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import polars as pl
import pytest
import zstandard
from connector_tables import context, drain, file_options, positions, sink, source

from sameriver.common import types
from sameriver.common.changes import Changes
from sameriver.common.errors import ExternalError, UserError
from sameriver.common.schema import Schema

ONE = Schema.of([("a", types.INT)])
TWO = Schema.of([("a", types.INT), ("b", types.STRING)])


def rows(path: Path, format: str = "csv", schema: Schema = ONE) -> list[tuple[object, ...]]:
    return drain(source(context(schema, file_options(path, format)))).rows.rows()


def fill(path: Path, *values: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{value}\n" for value in values))


def test_a_folder_is_read_sorted_and_without_hidden_files(tmp_path: Path) -> None:
    fill(tmp_path / "b.csv", 2)
    fill(tmp_path / "a.csv", 1)
    fill(tmp_path / "c" / "d.csv", 3)
    fill(tmp_path / "_tmp.csv", 9)
    fill(tmp_path / ".x" / "e.csv", 9)
    assert rows(tmp_path) == [(1,), (2,), (3,)]


def test_a_pattern(tmp_path: Path) -> None:
    for name in ("x1", "x2", "y"):
        fill(tmp_path / f"{name}.csv", int(name[1:] or 9))
    assert rows(tmp_path / "x*.csv") == [(1,), (2,)]


def test_an_empty_folder_has_no_rows(tmp_path: Path) -> None:
    assert rows(tmp_path) == []


def test_urls(tmp_path: Path) -> None:
    fill(tmp_path / "a b.csv", 1)
    options = file_options(tmp_path, "csv") | {"path": f"file://{tmp_path}/a%20b.csv"}
    assert drain(source(context(ONE, options))).rows.rows() == [(1,)]
    with pytest.raises(UserError, match="s3"):
        source(context(ONE, options | {"path": "s3://bucket/x"}))


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "a.csv", 1)
    monkeypatch.chdir(tmp_path)
    assert rows(Path("a.csv")) == [(1,)]


def test_a_missing_file_names_what_is_there(tmp_path: Path) -> None:
    fill(tmp_path / "orders.csv", 1)
    with pytest.raises(ExternalError, match=r"(?s)no file.*order\.csv.*Did you mean 'orders.csv'"):
        rows(tmp_path / "order.csv")
    with pytest.raises(ExternalError, match=r"holds: orders\.csv"):
        rows(tmp_path / "none" / "order.csv")


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_files(suffix: str, tmp_path: Path) -> None:
    text = "".join(f"{number}\n" for number in range(50_000)).encode()
    pack = gzip.compress if suffix == "gz" else zstandard.ZstdCompressor().compress
    half = len("".join(f"{number}\n" for number in range(20_000)))
    file = tmp_path / f"a.csv.{suffix}"
    file.write_bytes(pack(text[:half]) + pack(text[half:]))
    assert rows(file) == [(number,) for number in range(50_000)]


def test_a_torn_archive_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv.gz"
    file.write_bytes(gzip.compress(b"1\n" * 100_000)[:-20])
    with pytest.raises(ExternalError, match=r"a\.csv\.gz"):
        rows(file)


@pytest.mark.parametrize("format", ["csv", "json", "parquet", "debezium-json"])
@pytest.mark.parametrize("step", [1, 700, 5000])
def test_seek_goes_on_at_the_same_row(format: str, step: int, tmp_path: Path) -> None:
    count = 60 if step == 1 else 12_000
    frame = pl.DataFrame({"a": range(count), "b": [f"text {n}" * 3 for n in range(count)]})
    frame = frame.cast({"a": pl.Int32})
    options = file_options(tmp_path / "out", format)
    for part in (frame[: count // 3], frame[count // 3 :]):
        target = sink(context(TWO, options))
        target.write(Changes(part))
        target.close()
    names = sorted((tmp_path / "out").iterdir())
    whole = drain(source(context(TWO, options))).rows
    assert len(names) == 2
    assert sorted(whole["a"].to_list()) == list(range(count))
    for position, done in positions(source(context(TWO, options)), step):
        again = source(context(TWO, options))
        again.seek(position)
        left = drain(again, rows=999)
        assert len(left) == count - done
        assert not len(left) or left.rows.equals(whole[done:])


def test_seek_refuses_a_file_that_is_gone(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", 1, 2)
    position = source(context(ONE, file_options(tmp_path, "csv"))).poll(1).position
    (tmp_path / "a.csv").rename(tmp_path / "b.csv")
    with pytest.raises(ExternalError, match="gone"):
        source(context(ONE, file_options(tmp_path, "csv"))).seek(position)


def test_a_bad_row_is_named_with_its_line_far_down(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", *range(100_000))
    with (tmp_path / "a.csv").open("a") as file:
        file.write("x\n")
    with pytest.raises(ExternalError, match="line 100001, character 1, column 'a': 'x'"):
        rows(tmp_path)


def test_metadata_columns(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", 1)
    schema = Schema.of(
        [("name", types.STRING), ("a", types.INT), ("size", types.BIGINT),
         ("at", types.timestamp_ltz(3)), ("path", types.STRING)]
    )  # fmt: skip
    keys = {"name": "file.name", "size": "file.size", "path": "file.path",
            "at": "file.modification-time"}  # fmt: skip
    table = context(schema, file_options(tmp_path, "csv"), metadata=keys)
    frame = drain(source(table)).rows
    assert frame.schema == schema.to_polars()
    assert frame.drop("at").rows() == [("a.csv", 1, 2, str(tmp_path / "a.csv"))]
    stamp = frame["at"].dt.epoch("ms").item()
    assert stamp == (tmp_path / "a.csv").stat().st_mtime_ns // 1_000_000


def test_partition_folders_round_trip(tmp_path: Path) -> None:
    schema = Schema.of([("a", types.INT), ("day", types.DATE), ("city", types.STRING)])
    frame = pl.DataFrame(
        {"a": [1, 2, 3], "day": [date(2024, 1, 1)] * 3, "city": ["Rome", "a/b=c é", None]},
        schema=schema.to_polars(),
    )
    table = context(schema, file_options(tmp_path, "csv"), partitioned_by=("day", "city"))
    target = sink(table)
    target.write(Changes(frame))
    target.close()
    assert (tmp_path / "day=2024-01-01" / "city=Rome").is_dir()
    assert drain(source(table)).rows.sort("a").equals(frame)


def test_the_folder_of_null_and_of_empty_text(tmp_path: Path) -> None:
    schema = Schema.of([("a", types.INT), ("city", types.STRING)])
    rows = [(1, None), (2, ""), (3, "Rome")]
    options = file_options(tmp_path, "csv") | {"partition.default-name": "none"}
    table = context(schema, options, partitioned_by=("city",))
    target = sink(table)
    target.write(Changes(pl.DataFrame(rows, schema=schema.to_polars(), orient="row")))
    target.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["city=Rome", "city=none"]
    assert sorted(drain(source(table)).rows.rows()) == [(1, None), (2, None), (3, "Rome")]


def test_a_file_outside_the_partition_folders(tmp_path: Path) -> None:
    fill(tmp_path / "a.csv", 1)
    schema = Schema.of([("a", types.INT), ("day", types.DATE)])
    table = context(schema, file_options(tmp_path, "csv"), partitioned_by=("day",))
    with pytest.raises(ExternalError, match="day="):
        drain(source(table))


@pytest.mark.parametrize("format", ["csv", "json", "parquet", "debezium-json", "raw"])
def test_metadata_alone(format: str, tmp_path: Path) -> None:
    declared = Schema.of([("b", types.STRING)])
    options = file_options(tmp_path / "out", format)
    target = sink(context(declared, options))
    target.write(Changes(pl.DataFrame({"b": ["x", "y"]})))
    target.close()
    wanted = Schema.of([("size", types.BIGINT)])
    table = context(wanted, options, declared=declared, metadata={"size": "file.size"})
    size = next((tmp_path / "out").iterdir()).stat().st_size
    assert drain(source(table)).rows.rows() == [(size,), (size,)]
