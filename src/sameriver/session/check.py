"""What a changed script does to the state of a job; nothing is started or touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sameriver.checkpoint.savepoint import open_savepoint
from sameriver.common.config import Config
from sameriver.common.errors import UserError, nearest
from sameriver.compat import CompatibilityReport, JobDescription, compare, describe
from sameriver.compat.description import together
from sameriver.compat.description_json import from_json
from sameriver.deploy.rules import rules_of
from sameriver.session.session import Session

Script = str | Path
"""SQL text, or the path of a file that holds it."""


def check(old: Script, new: Script, config: Mapping[str, str] | None = None) -> CompatibilityReport:
    """Says what the state of a job is worth to a changed script, operator by operator.

    Args:
        old: SQL text; or a path: of a script, a state folder, or a savepoint.
        new: SQL text, or the path of a script.
        config: options that hold for both, as if SET came first.

    Raises:
        UserError: what is wrong with a script or an option; NO_SCRIPT, NO_JOB.

    Example:
        >>> ddl = "CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'datagen');"
        >>> report = check(
        ...     f"{ddl} SELECT k, SUM(v) FROM t GROUP BY k;",
        ...     f"{ddl} SELECT k, SUM(v), COUNT(*) FROM t GROUP BY k;",
        ... )
        >>> report.verdict.value
        'PARTIALLY_COMPATIBLE'
    """
    return judged(load_old(old, config), script_text(new), config)


def judged(
    old: JobDescription, new: str, config: Mapping[str, str] | None = None
) -> CompatibilityReport:
    """What a job's state is worth to a script, whose options say how to compare.

    Raises:
        UserError: what is wrong with the script or an option; NO_JOB.
    """
    after, options = describe_script(new, config)
    return compare(old, after, rules_of(options))


def load_old(old: Script, config: Mapping[str, str] | None = None) -> JobDescription:
    """The description of the job that is there: of a script, a state folder, or a savepoint.

    Raises:
        UserError: what is wrong with the script; NO_SAVEPOINT, NO_STATE.
        ExternalError: the manifest of the state is torn, altered or too new.
    """
    if isinstance(old, Path) and old.is_dir():
        return _saved(old)
    description, _ = describe_script(script_text(old), config)
    return description


def _saved(path: Path) -> JobDescription:
    jobs = open_savepoint(path).manifest.jobs
    found = [from_json(job.description) for job in jobs if job.description is not None]
    if not found or len(found) < len(jobs):
        raise UserError(
            "NO_STATE",
            f"'{path}' holds no job whose state is described",
            hint="Compare with the old script instead.",
        )
    return together(found)


def describe_script(
    text: str, config: Mapping[str, str] | None = None
) -> tuple[JobDescription, Config]:
    """The description of all jobs of a script together, and the options at its end.

    Raises:
        UserError: what is wrong with the script; NO_JOB if it has no query and no INSERT.
    """
    session = Session(config)
    plans = session.plan(text)
    if not plans:
        raise UserError(
            "NO_JOB",
            "the script has neither a query nor an INSERT, so there is nothing to compare",
            hint="Add the SELECT or INSERT INTO that runs as the job.",
        )
    return together([describe(plan.roots, plan.config) for plan in plans]), session.config


def script_text(script: Script) -> str:
    """The text of a script.

    Raises:
        UserError: NO_SCRIPT.
    """
    if isinstance(script, str):
        return script
    try:
        return script.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        folder = script.parent if script.parent.is_dir() else Path()
        near = nearest(script.name, [entry.name for entry in folder.glob("*.sql")])
        raise UserError("NO_SCRIPT", f"can't read '{script}': {error}", hint=near) from error
