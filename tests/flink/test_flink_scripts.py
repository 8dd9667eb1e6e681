"""The same script gives the same table on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import FLINK, SCRIPTS, changes, final, tables

from sameriver.flink.gateway import Gateway

NAMES = sorted(path.stem for path in SCRIPTS.glob("*.sql") if path.stem != "tables")
TRICKLING = "SET 'table.exec.mini-batch.enabled' = 'false';\n"
"""Both engines then tell each change of each row."""


def _script(name: str) -> str:
    return tables() + (SCRIPTS / f"{name}.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_both_engines_give_the_same_table(name: str, shared: Gateway, tmp_path: Path) -> None:
    here = final(_script(name), tmp_path / "here")
    assert here == final(_script(name), tmp_path / "there", *FLINK)
    assert here


@pytest.mark.parametrize("name", ["group_by", "tumble", "left_join", "top_n"])
def test_with_more_parallelism_too(name: str, shared: Gateway, tmp_path: Path) -> None:
    flags = (*FLINK, "--parallelism", "2")
    assert final(_script(name), tmp_path / "here") == final(
        _script(name), tmp_path / "there", *flags
    )


@pytest.mark.parametrize(
    "name", ["projection", "nested_values", "group_by", "group_by_having", "updates_and_deletes"]
)
def test_a_changelog_is_printed_alike(name: str, shared: Gateway, tmp_path: Path) -> None:
    script = TRICKLING + _script(name)
    here = changes(script, tmp_path / "here")
    assert here == changes(script, tmp_path / "there", *FLINK)
    assert here
