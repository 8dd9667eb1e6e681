"""One Java process with one local cluster serves all tests that need Flink.

They carry the mark ``flink``, which ``make test`` leaves out and ``make test-flink`` does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

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


@pytest.fixture
def shared(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    """Commands that start a gateway of their own get this one, and leave it running.

    ``parallelism`` and ``jars`` are theirs; a cluster that is named is not.
    """

    def start(
        *, cluster: str | None = None, parallelism: int | None = None, jars: object = ()
    ) -> Gateway:
        assert cluster is None
        monkeypatch.setattr(gateway, "parallelism", parallelism)
        return gateway

    monkeypatch.setattr(Gateway, "start", start)
    monkeypatch.setattr(Gateway, "close", lambda self: None)
    return gateway
