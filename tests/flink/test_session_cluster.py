"""Scripts on a session cluster, by its REST address."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines import FLINK, SCRIPTS, final, tables

from sameriver.common.errors import ExternalError, UserError
from sameriver.flink.gateway import Gateway, check_version
from sameriver.flink.rest import Rest


@pytest.mark.parametrize("name", ["group_by", "interval_join", "create_as"])
def test_a_session_cluster_gives_the_same_table(
    name: str, cluster: str, shared: Gateway, tmp_path: Path
) -> None:
    script = tables() + (SCRIPTS / f"{name}.sql").read_text(encoding="utf-8")
    there = final(script, tmp_path / "there", *FLINK, "--cluster", cluster)
    assert there == final(script, tmp_path / "here")
    assert "RUNNING" not in Rest(cluster).jobs().values()


def test_the_plan_runs_in_parallel(cluster: str, shared: Gateway) -> None:
    gateway = Gateway(shared.jvm, cluster=cluster, parallelism=3, jars=())
    flink = gateway.environment({"parallelism.default": "1"})
    flink.execute("CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen')")
    flink.execute("CREATE TABLE nothing (n INT) WITH ('connector' = 'blackhole')")
    rest = Rest(cluster)
    job = flink.execute_plan(flink.compile(["INSERT INTO nothing SELECT * FROM numbers"]))
    try:
        assert {vertex.parallelism for vertex in rest.job(job).vertices} == {3}
    finally:
        rest.cancel(job)


def test_a_cluster_that_does_not_answer_is_told_at_once() -> None:
    with pytest.raises(ExternalError, match="no Flink cluster answers at 'localhost:1'") as error:
        Gateway.start(cluster="localhost:1")
    assert error.value.code == "NO_CLUSTER"


def test_a_cluster_of_another_release_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rest, "version", lambda self: "1.20.1")
    with pytest.raises(ExternalError, match=r"runs Flink 1\.20\.1, not 2\.3\.0"):
        check_version(Rest("localhost:8081"))


@pytest.mark.parametrize("address", ["localhost", "localhost:", ":8081", "http://here:8081"])
def test_an_address_has_host_and_port(address: str) -> None:
    with pytest.raises(UserError, match="REST address"):
        Gateway.start(cluster=address)
