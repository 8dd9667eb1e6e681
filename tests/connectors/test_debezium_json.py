from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from connector_tables import GOLDEN, context, drain, file_options, sink, source, symbols

from sameriver.common import types
from sameriver.common.changes import KINDS, Changes
from sameriver.common.errors import ExternalError
from sameriver.common.schema import Schema
from sameriver.connectors.registry import accepts, changelog

SCORES = Schema.of([("id", types.BIGINT), ("team", types.STRING), ("pts", types.INT)])


def events(tmp_path: Path, *lines: str, **options: str) -> Changes:
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(lines))
    return drain(source(context(SCORES, file_options(file, "debezium-json", **options))))


def test_golden_changes() -> None:
    options = file_options(GOLDEN / "agg_cdc" / "scores.jsonl", "debezium-json")
    changes = drain(source(context(SCORES, options)))
    assert symbols(changes)[:9] == ["+I", "+I", "+I", "-U", "+U", "-U", "+U", "-D", "+I"]
    assert changes.rows.rows()[3:5] == [(1, "x", 10), (1, "x", 15)]
    assert changes.rows.rows()[7:9] == [(3, "y", 5), (4, None, 7)]


def test_order_does_not_depend_on_the_batch() -> None:
    options = file_options(GOLDEN / "agg_cdc" / "scores.jsonl", "debezium-json")
    whole = drain(source(context(SCORES, options)))
    single = drain(source(context(SCORES, options)), rows=1)
    assert single.rows.equals(whole.rows)
    assert symbols(single) == symbols(whole)


def test_events_in_an_envelope(tmp_path: Path) -> None:
    line = '{"schema": {}, "payload": {"before": null, "after": {"id": 1}, "op": "r"}}'
    changes = events(tmp_path, line, schema_include="true")
    assert changes.rows.rows() == [(1, None, None)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"before": null, "after": {"id": 1}, "op": "u"}', "REPLICA IDENTITY"),
        ('{"before": null, "after": null, "op": "d"}', "REPLICA IDENTITY"),
        ('{"after": {"id": 1}}', "no 'op'"),
        ('{"after": {"id": 1}, "op": "x"}', "can be used"),
        ("nope", "no JSON object"),
        ('{"before": null, "after": {"id": "x"}, "op": "c"}', "column 'id'"),
    ],
)
def test_a_bad_event_stops_the_job(line: str, what: str, tmp_path: Path) -> None:
    good = '{"before": null, "after": {"id": 1}, "op": "c"}'
    with pytest.raises(ExternalError, match=f"line 2(?s:.*){what}"):
        events(tmp_path, good, line)


def test_bad_events_can_be_ignored(tmp_path: Path) -> None:
    good = '{"before": null, "after": {"id": 1}, "op": "c"}'
    changes = events(tmp_path, "nope", good, '{"op": "u"}', ignore_parse_errors="true")
    assert changes.rows.rows() == [(1, None, None)]


def test_writes_what_it_reads(tmp_path: Path) -> None:
    options = file_options(tmp_path / "out", "debezium-json")
    rows = pl.DataFrame([(1, "a", 5), (1, "a", 5), (1, "b", 6), (1, "b", 6)],
                        schema=SCORES.to_polars(), orient="row")  # fmt: skip
    target = sink(context(SCORES, options))
    target.write(Changes(rows, pl.Series([0, 1, 2, 3], dtype=KINDS)))
    target.close()
    (file,) = (tmp_path / "out").iterdir()
    assert file.read_text().splitlines()[:2] == [
        '{"before":null,"after":{"id":1,"team":"a","pts":5},"op":"c"}',
        '{"before":{"id":1,"team":"a","pts":5},"after":null,"op":"d"}',
    ]
    back = drain(source(context(SCORES, options)))
    assert back.rows.equals(rows)
    assert symbols(back) == ["+I", "-D", "+I", "-D"]


def test_kinds() -> None:
    options = {"format": "debezium-json"}
    assert len(changelog("filesystem", options)) == 4
    assert len(accepts("filesystem", options)) == 4
    assert len(accepts("filesystem", {"format": "csv"})) == 1
    assert len(accepts("print", {})) == 4
