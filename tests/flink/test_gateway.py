"""Flink's planner and the local cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sameriver.common.errors import ExternalError, UserError
from sameriver.flink import jvm
from sameriver.flink.gateway import Environment, Gateway
from sameriver.flink.rest import Rest

ORDERS = "CREATE TABLE orders (item STRING, v INT) WITH ('connector' = 'datagen')"
TOTALS = "CREATE TABLE totals (item STRING, v INT) WITH ('connector' = 'blackhole')"


@pytest.fixture
def flink(gateway: Gateway) -> Environment:
    flink = gateway.environment()
    flink.execute(ORDERS)
    flink.execute(TOTALS)
    return flink


def test_inserts_become_one_plan(flink: Environment) -> None:
    flink.execute("CREATE TABLE copy LIKE totals")
    totals = "INSERT INTO totals SELECT item, SUM(v) FROM orders GROUP BY item"
    plan = json.loads(flink.compile([totals, "INSERT INTO copy SELECT item, v FROM orders"]))
    kinds = [node["type"].split("_")[0] for node in plan["nodes"]]
    assert kinds.count("stream-exec-table-source-scan") == 1
    assert kinds.count("stream-exec-sink") == 2


def test_a_plan_runs_on_the_local_cluster(flink: Environment) -> None:
    job = flink.execute_plan(
        flink.compile(["INSERT INTO totals SELECT * FROM orders"]), {"pipeline.name": "a name"}
    )
    rest = Rest(flink.gateway.rest)
    assert rest.job(job).name == "a name"
    rest.cancel(job)


def test_options_of_a_job_are_gone_after_it(flink: Environment) -> None:
    with pytest.raises(UserError, match="savepoint"):
        flink.execute_plan(
            flink.compile(["INSERT INTO totals SELECT * FROM orders"]), savepoint="/no/savepoint"
        )
    options = flink.java.getConfig().getConfiguration().toMap()
    assert not {"execution.state-recovery.path", "rest.address"} & set(options)


def test_what_flink_refuses_is_the_users(flink: Environment) -> None:
    with pytest.raises(UserError, match="Column 'w' not found in any table") as refused:
        flink.compile(["INSERT INTO totals SELECT item, w FROM orders"])
    assert refused.value.code == "FLINK_REFUSED"


def test_a_jar_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file '.*kafka\.jar'"):
        Gateway.start(jars=[tmp_path / "kafka.jar"])


def test_without_java_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ExternalError, match="JAVA_HOME") as wrong:
        jvm.java_command()
    assert wrong.value.code == "NO_JAVA"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ExternalError, match="no 'java' in the PATH"):
        jvm.java_command()


@pytest.mark.parametrize(
    ("said", "found"),
    [('java version "1.8.0_392"', "version 1"), ('openjdk version "24"', "24"), ("?", "not tell")],
)
def test_java_of_another_version_is_refused(
    said: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ExternalError, match=found) as wrong:
        jvm.java_command()
    assert wrong.value.code == "WRONG_JAVA"


def test_without_flink_the_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "find_spec", lambda name: None)
    with pytest.raises(ExternalError, match="apache-flink") as wrong:
        jvm.flink_home()
    assert "sameriver[flink]" in wrong.value.hint
