"""``sameriver test``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from sameriver.cli.script import FAILED, errors_of
from sameriver.testing.modes import Mode
from sameriver.testing.runner import Outcome, find_scenarios, run_scenario, write_expected


def run_cases(
    paths: Annotated[list[Path], typer.Argument(help="Cases, folders of them, Flink's answers.")],
    mode: Annotated[
        list[Mode] | None, typer.Option(help="Run in this mode only; may be repeated.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Fill expected sections in, for review as a diff.")
    ] = False,
) -> None:
    """Runs scripted streaming tests and shows what differs."""
    with errors_of(str(paths[0])):
        scenarios = list(find_scenarios(paths))
        if write:
            changed = [s.path for s in scenarios if write_expected(s)]
            print("\n".join([*map(str, changed), f"{len(changed)} of {len(scenarios)} changed"]))
            return
        modes = mode or list(Mode)
        outcomes = (outcome for s in scenarios for outcome in run_scenario(s, modes))
        failed = _report(outcomes)
    if failed:
        raise typer.Exit(FAILED)


def _report(outcomes: Iterable[Outcome]) -> int:
    """Prints each failure and a closing line; the number of failures."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts["passed" if outcome.passed else "failed"] += 1
        if not outcome.passed:
            print(f"FAILED {outcome.scenario.path} [{outcome.mode.value}]")
            print("\n".join(f"  {text}" for text in outcome.differences))
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"]
