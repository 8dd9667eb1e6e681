"""What a changed script does to the state of a job on Flink; no cluster is needed.

Example:
    >>> with Gateway.start() as gateway:
    ...     report = check_on_flink(gateway, Path("old.sql"), Path("new.sql"))
    >>> report.verdict.value
    'FULLY_COMPATIBLE'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.compat import Rules
from sameriver.deploy.rules import rules_of
from sameriver.flink.compiled import ZONE, plan_text, read_plan, renumbered, with_zone
from sameriver.flink.gateway import Environment, Gateway
from sameriver.flink.judging import judge
from sameriver.flink.meaning import RESULT
from sameriver.flink.names import named
from sameriver.flink.report import FlinkReport
from sameriver.flink.script import Answer, InsertJob, QueryJob, prepare
from sameriver.flink.state import FlinkFolder
from sameriver.session.check import Script, script_text


def check_on_flink(
    gateway: Gateway, old: Script, new: Script, options: Mapping[str, str] | None = None
) -> FlinkReport:
    """Says what the state of a job on Flink is worth to a changed script, operator by operator.

    Args:
        gateway: to Flink's planner.
        old: SQL text; or a path: of a script, or the state folder of a job that ran on Flink.
        new: SQL text, or the path of a script.
        options: that hold for both, as if SET came first.

    Raises:
        UserError: what is wrong with a script or an option; NO_SCRIPT, NO_JOB, NO_STATE.
        ExternalError: FLINK_FAILED; the state folder is damaged or too new.
    """
    return judged_on_flink(gateway, old_plan(gateway, old, options), script_text(new), options)


def judged_on_flink(
    gateway: Gateway, old: str, new: str, options: Mapping[str, str] | None = None
) -> FlinkReport:
    """What the state behind a plan with names is worth to a script.

    Raises:
        UserError: what is wrong with the script or an option; NO_JOB.
        ExternalError: FLINK_FAILED.
    """
    plan, rules = compiled(gateway, new, options)
    return judge(old, plan, rules).report


def old_plan(gateway: Gateway, old: Script, options: Mapping[str, str] | None = None) -> str:
    """The plan of the job that is there, with names: of a script, or of a state folder.

    Raises:
        UserError: what is wrong with the script; NO_SCRIPT, NO_JOB, NO_STATE.
        ExternalError: FLINK_FAILED; the state folder is damaged or too new.
    """
    if isinstance(old, Path) and old.is_dir():
        folder = FlinkFolder.find(old)
        entry = None if folder is None else folder.latest()
        if entry is None:
            raise UserError(
                "NO_STATE",
                f"'{old}' holds no state of a job on Flink",
                hint="Compare with the old script instead, or leave out '--on flink'.",
            )
        return entry.plan
    plan, _ = compiled(gateway, script_text(old), options)
    return named(plan)


def compiled(gateway: Gateway, script: str, options: Mapping[str, str] | None) -> tuple[str, Rules]:
    """The compiled plan of all jobs of a script together, and how it wants to be compared."""
    config = Config(options)
    environment = gateway.environment()
    steps = prepare(script, environment, config)
    jobs = [step for step in steps if not isinstance(step, Answer)]
    if not jobs:
        raise UserError(
            "NO_JOB",
            "the script has neither a query nor an INSERT, so there is nothing to compare",
            hint="Add the SELECT or INSERT INTO that runs as the job.",
        )
    plans = [
        job.plan if isinstance(job, InsertJob) else _of_query(environment, job, number)
        for number, job in enumerate(jobs, 1)
    ]
    return together(plans), rules_of(Config({**config, **jobs[-1].options}))


def _of_query(environment: Environment, job: QueryJob, number: int) -> str:
    """The plan of a SELECT, as if its rows went into a table."""
    environment.set(job.options)
    columns = ", ".join(f"`{place}` {field.type.name}" for place, field in enumerate(job.schema))
    table = f"{RESULT}_{number}"
    environment.execute(
        f"CREATE TEMPORARY TABLE {table} ({columns}) WITH ('connector' = 'blackhole')"
    )
    try:
        plan = environment.compile([f"INSERT INTO {table} {job.place.sql}"])
        return with_zone(plan, job.options[ZONE])
    finally:
        environment.execute(f"DROP TEMPORARY TABLE {table}")


def together(plans: Sequence[str]) -> str:
    """Plans of several jobs as one."""
    if len(plans) == 1:
        return plans[0]
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for plan in plans:
        data = renumbered(read_plan(plan).data, len(nodes) + 1)
        nodes += data["nodes"]
        edges += data["edges"]
    return plan_text({**data, "nodes": nodes, "edges": edges})
