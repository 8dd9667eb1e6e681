"""Real manifests are of the form that the docs tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from sameriver import Session
from sameriver.checkpoint.folder import StateFolder
from sameriver.checkpoint.requests import take_savepoint
from sameriver.checkpoint.schema import manifest_schema

FILE = Path(__file__).parents[2] / "docs" / "reference" / "savepoint-format.schema.json"


@pytest.fixture
def manifests(tmp_path: Path) -> list[dict[str, Any]]:
    """Of a checkpoint and a savepoint of two jobs."""
    session = Session({"table.exec.state.ttl": "1 h"})
    session.register("t", pl.DataFrame({"k": [1, 2, 1], "v": [1.5, 2.5, 3.5]}))
    script = (
        f"CREATE TABLE o (k BIGINT, v DOUBLE) WITH ('connector' = 'filesystem', "
        f"'path' = '{tmp_path / 'out'}', 'format' = 'csv');"
        "INSERT INTO o SELECT k, v FROM t;"
        "SELECT k, COUNT(DISTINCT v) FROM t WHERE v > 1 GROUP BY k;"
    )
    for result in session.results(script, state=tmp_path / "state"):
        result.to_polars()
    folder = StateFolder.find(tmp_path / "state")
    savepoint = take_savepoint(folder, None, timeout=1)
    paths = (folder.checkpoints / str(folder.numbers()[-1]), savepoint)
    return [json.loads((path / "manifest.json").read_text()) for path in paths]


def test_manifests_follow_the_schema(manifests: list[dict[str, Any]]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(FILE.read_text()))
    for manifest in manifests:
        validator.validate(manifest)
        assert len(manifest["jobs"]) == 2
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({**manifest, "jobs": [{}]})


def test_the_docs_hold_the_schema() -> None:
    assert json.loads(FILE.read_text()) == manifest_schema()
