"""What stands for the job that runs: a state folder needs no planner."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from sameriver.common.errors import UserError
from sameriver.deploy.versions import FIRST, Version
from sameriver.flink.check import old_plan, together
from sameriver.flink.compiled import read_plan
from sameriver.flink.gateway import Gateway
from sameriver.flink.names import named
from sameriver.flink.state import Entry, FlinkFolder, Job

from .queries import stored

NO_GATEWAY = cast(Gateway, None)


def test_the_plan_of_a_state_folder(tmp_path: Path) -> None:
    plan = named(stored("sum"))
    version = Version(
        number=0, started=1, way=FIRST, verdict=None, checkpoint=0, previous=0, savepoint="",
        exact=True, script="",
    )  # fmt: skip
    entry = Entry(
        version=version, flink="2.3.0", sameriver="0", options={}, compiled="", plan=plan,
        job=Job(cluster="localhost:1", local=True, id="a"),
    )  # fmt: skip
    folder = FlinkFolder.make(tmp_path)
    folder.settle(folder.draft(entry))
    assert old_plan(NO_GATEWAY, tmp_path) == plan


def test_a_folder_without_a_job(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        old_plan(NO_GATEWAY, tmp_path)
    assert error.value.code == "NO_STATE"


def test_jobs_of_one_script_are_judged_together() -> None:
    both = read_plan(named(together([stored("sum"), stored("max")])))
    assert len({node.id for node in both}) == len(both.nodes)
    kinds = sorted(node.name.partition("-")[0] for node in both if node.name)
    assert kinds == ["GroupAggregate", "GroupAggregate", "Sink", "Sink", "Source", "Source"]
    assert {node.type: len(node.inputs) for node in both}["group-aggregate"] == 1
