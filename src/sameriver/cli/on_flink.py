"""``sameriver run`` and ``sameriver explain`` with ``--on flink``."""

from __future__ import annotations

import sys
from threading import Event

from sameriver.cli.engine import FlinkFlags
from sameriver.cli.kept_on_flink import run_with_state
from sameriver.cli.output import Output, print_answer, writer
from sameriver.cli.progress import ProgressLine
from sameriver.cli.script import errors_of, options_of, say, stoppable
from sameriver.flink.explain import explain_json, explain_text
from sameriver.flink.gateway import Environment
from sameriver.flink.progress import Watcher
from sameriver.flink.run import Watch, run_insert
from sameriver.flink.script import Answer, InsertJob, QueryJob, Step, prepare
from sameriver.flink.select import changelog
from sameriver.session import Session, StateDir


def run_on_flink(
    name: str,
    text: str,
    options: list[str] | None,
    output: Output,
    flags: FlinkFlags,
    kept: StateDir | None,
    *,
    detached: bool,
) -> None:
    """Runs a script; all of it is planned before anything runs."""
    line = ProgressLine()
    with errors_of(name, text), stoppable() as stop, flags.start() as gateway:
        config = Session(options_of(options)).config
        environment = gateway.environment()
        steps = prepare(text, environment, config, say)
        watch = Watcher(line)
        try:
            if kept is not None:
                run_with_state(
                    text, steps, gateway, kept, stop=stop, watch=watch, detached=detached
                )
                return
            for step in steps:
                if not stop.is_set():
                    _run(step, environment, output, stop, watch, line)
        finally:
            # the cluster's last figures are older than the end of the job
            line.take_away()
        if stop.is_set():
            say(_STOPPED)


_STOPPED = "stopped; a later run starts anew: --state DIR lets it go on from here"


def explain_on_flink(
    name: str, text: str, options: list[str] | None, flags: FlinkFlags, *, as_json: bool
) -> None:
    """Shows Flink's plans; it needs no cluster."""
    with errors_of(name, text), flags.start() as gateway:
        config = Session(options_of(options)).config
        steps = prepare(text, gateway.environment(), config, say)
        print(explain_json(steps) if as_json else explain_text(steps))


def _run(
    step: Step,
    environment: Environment,
    output: Output,
    stop: Event,
    watch: Watch,
    line: ProgressLine,
) -> None:
    match step:
        case Answer():
            print_answer(step.names, step.rows, output)
        case InsertJob():
            run_insert(environment.gateway, step, stop, watch)
        case QueryJob():
            write = writer(output, step.schema, sys.stdout)
            for kinds, rows in changelog(environment, step, stop, watch):
                line.clear()
                write(kinds, rows)
    line.take_away()
