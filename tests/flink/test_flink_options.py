"""Options for Flink, and texts of statements; none of it needs Flink."""

from __future__ import annotations

from sameriver.common.config import Config
from sameriver.common.errors import Position
from sameriver.flink.failures import Place
from sameriver.flink.options import dropped, flink_options
from sameriver.flink.texts import Texts
from sameriver.sql import parse_script


def test_defaults_that_differ_are_set() -> None:
    options = flink_options(Config())
    assert options["table.exec.state.ttl"] == "36 h"
    assert options["table.exec.mini-batch.enabled"] == "true"
    assert options["table.local-time-zone"] == "UTC"
    assert options["parallelism.default"] == "1"
    assert options["table.exec.sink.require-on-conflict"] == "false"


def test_what_the_script_sets_wins() -> None:
    config = Config({"table.exec.state.ttl": "1 h", "table.optimizer.agg-phase-strategy": "AUTO"})
    options = flink_options(config)
    assert options["table.exec.state.ttl"] == "1 h"
    assert options["table.optimizer.agg-phase-strategy"] == "AUTO"


def test_the_default_zone_is_not_the_machines() -> None:
    assert (
        flink_options(Config({"table.local-time-zone": "default"}))["table.local-time-zone"]
        == "UTC"
    )


def test_options_of_this_engine_are_left_out_and_told() -> None:
    assert "sameriver.batch.rows" not in flink_options(Config({"sameriver.batch.rows": "5"}))
    assert "'sameriver.batch.rows'" in dropped("sameriver.batch.rows")
    assert not dropped("table.exec.state.ttl")


def test_watermarks_after_each_row_are_flinks_without_a_smallest_step() -> None:
    assert "pipeline.auto-watermark-interval" not in flink_options(Config())
    options = flink_options(Config({"scan.watermark.emit.strategy": "on-event"}))
    assert options["pipeline.auto-watermark-interval"] == "0 ms"


SCRIPT = """-- a job; with a remark
CREATE TABLE a WITH ('x' = ';') AS /* here */ SELECT ';' AS s, -- ;
  1 AS `AS`;
EXECUTE INSERT INTO a SELECT 'é';
EXECUTE STATEMENT SET BEGIN INSERT INTO a VALUES (1); INSERT INTO a
  SELECT CASE WHEN TRUE THEN 1 END; END;
SELECT 1"""


def _texts() -> list[str]:
    texts = Texts(SCRIPT)
    statements = parse_script(SCRIPT)
    found = [one for each in statements for one in getattr(each, "inserts", (each,))]
    return [texts.at(one.position) for one in found if one.position is not None]


def test_statements_keep_their_own_words() -> None:
    assert _texts() == [
        "CREATE TABLE a WITH ('x' = ';') AS /* here */ SELECT ';' AS s, -- ;\n  1 AS `AS`",
        "INSERT INTO a SELECT 'é'",
        "INSERT INTO a VALUES (1)",
        "INSERT INTO a\n  SELECT CASE WHEN TRUE THEN 1 END",
        "SELECT 1",
    ]


def test_the_query_of_create_table_as() -> None:
    create = parse_script(SCRIPT)[0]
    assert create.position is not None
    query = Texts(SCRIPT).query_of_create(create.position)
    assert query == "SELECT ';' AS s, -- ;\n  1 AS `AS`"


def test_places_in_a_statement_are_places_in_the_script() -> None:
    place = Place(Position(4, 7), "SELECT a,\n  RANK() OVER w")
    assert place.at(1, 8) == Position(4, 14)
    assert place.at(2, 3) == Position(5, 3)
    assert place.of("rank") == Position(5, 3, 4)
    assert place.of("kafka") == Position(4, 7)
