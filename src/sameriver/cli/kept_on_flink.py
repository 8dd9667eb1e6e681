"""``sameriver run --on flink --state DIR``: what it tells while it runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event

import typer

from sameriver.cli.script import FAILED, say
from sameriver.common.errors import render
from sameriver.common.time import SystemClock
from sameriver.flink.gateway import Gateway
from sameriver.flink.keeping import run_kept
from sameriver.flink.report import flink_text
from sameriver.flink.run import Watch
from sameriver.flink.script import Step
from sameriver.flink.state import ENDED, STOPPED, Entry
from sameriver.flink.upgrade import FlinkUpgradeFailed, FlinkUpgradeRefused
from sameriver.session import StateDir


def run_with_state(
    script: str,
    steps: Sequence[Step],
    gateway: Gateway,
    state: StateDir,
    *,
    stop: Event,
    watch: Watch,
    detached: bool,
) -> None:
    """Runs the job of a script on its state folder, and says what has become of it."""
    failed: list[FlinkUpgradeFailed] = []

    def broken(error: FlinkUpgradeFailed) -> None:
        failed.append(error)
        print(render(error), file=sys.stderr)
        say("the old version of the script goes on here; the changed one has not taken its place")

    with _refusals():
        entry = run_kept(
            script,
            steps,
            gateway,
            state,
            SystemClock(),
            stop=stop,
            watch=watch,
            detached=detached,
            begun=_begun,
            broken=broken,
        )
    if failed:
        say(f"version {entry.number} is {entry.job.stands}; the same command tries the changed one")
        raise typer.Exit(FAILED)
    if entry.job.stands == STOPPED:
        say("stopped; the same command goes on from here")


def _begun(entry: Entry) -> None:
    """Tells what runs now."""
    if entry.job.stands == ENDED:
        say("this job ended in an earlier run and has nothing left to do; --fresh runs it anew")
    elif not entry.job.local:
        say(f"version {entry.number} runs as job {entry.job.id} on {entry.job.cluster}")


@contextmanager
def _refusals() -> Iterator[None]:
    """Prints the whole comparison where state is not good enough for a changed script."""
    try:
        yield
    except FlinkUpgradeRefused as refused:
        print(flink_text(refused.report), file=sys.stderr)
        print(f"error[{refused.code}]: {refused.message}", file=sys.stderr)
        raise typer.Exit(FAILED) from refused
