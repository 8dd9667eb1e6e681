"""One Java process with one local cluster serves all tests that need Flink.

They carry the mark ``flink``, which ``make test`` leaves out and ``make test-flink`` does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from session_cluster import session_cluster

from sameriver.common.errors import ExternalError
from sameriver.flink.gateway import Gateway
from sameriver.flink.jvm import flink_home, java_command

# a test runs each path of Flink's code a few times: the better compiler costs more than it gains
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


def _why_not() -> str:
    try:
        flink_home()
        java_command()
    except ExternalError as error:
        return f"{error.message}. {error.hint}"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what needs Flink, which ends in the fixture ``gateway`` or ``real_flink``."""
    for item in items:
        if {"gateway", "real_flink"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("flink")


@pytest.fixture(scope="session")
def real_flink() -> None:
    """Skips without a Java runtime or apache-flink."""
    if reason := _why_not():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def gateway(real_flink: None) -> Iterator[Gateway]:
    """Flink's planner and, when a test asks for it, a local cluster."""
    with Gateway.start() as started:
        yield started


@pytest.fixture(scope="session")
def cluster(real_flink: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The REST address of a session cluster, whose processes are not those of the gateway."""
    with session_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture
def shared(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    """Commands that start a gateway of their own get this Java process, and leave it running."""

    def start(
        *, cluster: str | None = None, parallelism: int | None = None, jars: Iterable[Path] = ()
    ) -> Gateway:
        if cluster is not None:
            return Gateway(gateway.jvm, cluster=cluster, parallelism=parallelism, jars=tuple(jars))
        monkeypatch.setattr(gateway, "parallelism", parallelism)
        monkeypatch.setattr(gateway, "jars", tuple(jars))
        return gateway

    monkeypatch.setattr(Gateway, "start", start)
    monkeypatch.setattr(Gateway, "close", lambda self: None)
    return gateway
