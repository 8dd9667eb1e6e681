"""Runs scenarios in their modes and tells what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sameriver.common.changes import ChangeKind, Changes
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import SameriverError, UserError, nearest, render
from sameriver.connectors.absent import ABSENT
from sameriver.connectors.changelog_mode import ALL, CHANGELOG_MODE, INSERT_ONLY, MODES, UPSERT
from sameriver.connectors.registry import changelog
from sameriver.plan.explain import physical_text, state_text
from sameriver.plan.physical.group_aggregate import GroupAggregate
from sameriver.plan.physical.join import Join
from sameriver.plan.physical.node import PhysicalNode
from sameriver.plan.physical.scan import Scan
from sameriver.session import Plan, Session
from sameriver.session.render import rows_as_json
from sameriver.session.result import symbols
from sameriver.sql import parse_script
from sameriver.sql.statements import CreateTable, Query, Statement
from sameriver.testing import compare
from sameriver.testing.case import read_case, with_expected
from sameriver.testing.golden import is_golden, read_golden
from sameriver.testing.modes import Mode, steps_for
from sameriver.testing.play import Player
from sameriver.testing.scenario import End, Row, Rows, Scenario, SetWatermark

_ON_EVENT = "scan.watermark.emit.strategy"
_MODE = CHANGELOG_MODE.key
_REFUSALS = ("UNSUPPORTED",)
_REPLACED, _REPLACES = ChangeKind.UPDATE_BEFORE, ChangeKind.UPDATE_AFTER


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one scenario in one mode; no ``differences`` means it passed."""

    scenario: Scenario
    mode: Mode
    differences: tuple[str, ...]
    refused: str | None = None

    @property
    def passed(self) -> bool:
        return not self.differences


def find_scenarios(paths: Sequence[Path]) -> Iterator[Scenario]:
    """Cases and folders of answers at or below ``paths``, in order of their names.

    Raises:
        UserError: NO_CASES for a path that has none; BAD_CASE.
    """
    for path in paths:
        found = list(_below(path))
        if not found:
            raise UserError(
                "NO_CASES",
                f"'{path}' is no case and holds none",
                hint="Name .case files, folders of them, or folders with a job.sql.",
            )
        for place in found:
            yield read_golden(place) if place.is_dir() else read_case(place)


def _below(path: Path) -> Iterator[Path]:
    if path.is_file() or is_golden(path):
        yield path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.is_dir() or entry.suffix == ".case":
                yield from _below(entry)


def run_scenario(scenario: Scenario, modes: Sequence[Mode]) -> Iterator[Outcome]:
    """One outcome a mode; one only if an error is expected, or the scenario itself is wrong."""
    try:
        plan = plan_of(scenario)
    except SameriverError as error:
        yield Outcome(scenario, Mode.WRITTEN, *_error(scenario, error))
        return
    differences = _static(scenario, plan)
    for mode in modes:
        try:
            found = run_plan(scenario, plan, mode)
        except SameriverError as error:
            yield Outcome(scenario, mode, *_error(scenario, error))
            if scenario.error is not None or isinstance(error, UserError):
                return
        else:
            more = _unexpected(scenario, found) or _changelog(scenario, plan, mode, found)
            yield Outcome(scenario, mode, (*differences, *more))
        differences = ()


def plan_of(scenario: Scenario) -> Plan:
    """The plan of the scenario's last query or INSERT into a table of the connector ``case``, its
    inputs put in place of connectors.

    Raises:
        UserError: the script is wrong, or has no query, or an input names no table.
    """
    session = Session({_ON_EVENT: "on-event", **scenario.options})
    parsed = [_fed(statement, scenario) for statement in parse_script(scenario.sql)]
    plans = [p for p in session.plan(_here(parsed, scenario)) if _is_job(p)]
    if not plans:
        raise UserError("BAD_CASE", f"{scenario.path.name}: the script has no query")
    known = {scan.table.name for root in plans[-1].roots for scan in _scans(root)}
    for step in scenario.steps:
        if isinstance(step, Rows | SetWatermark | End) and step.table not in known:
            raise UserError(
                "BAD_CASE",
                f"{scenario.path.name}: the query reads no table '{step.table}'",
                hint=nearest(step.table, known),
            )
    return plans[-1]


def _is_job(plan: Plan) -> bool:
    if isinstance(plan.statement, Query):
        return True
    table = plan.roots[0].table
    return len(plan.roots) == 1 and table is not None and table.connector == "case"


def _fed(statement: Statement, scenario: Scenario) -> Statement:
    """A table with an ``input`` section reads from there."""
    if not isinstance(statement, CreateTable) or scenario.path.is_dir():
        return statement
    rows = [s for s in scenario.steps if getattr(s, "table", None) == str(statement.name)]
    if not rows:
        return statement
    mode = _declared(dict(statement.options))
    if mode is None:
        updates = any(set(s.kinds) - {"+I"} for s in rows if isinstance(s, Rows))
        mode = ALL if updates else INSERT_ONLY
    return replace(statement, options=(("connector", "case"), (_MODE, mode)))


def _declared(options: dict[str, str]) -> str | None:
    """The changelog mode that a table's options tell of; None: what its rows are."""
    name = options.get("connector", "")
    if name == "case":
        return options.get(_MODE)
    upserts = name in ABSENT and changelog(name, options) == MODES[UPSERT]
    return UPSERT if upserts else None


def _here(parsed: Sequence[Statement], scenario: Scenario) -> list[Statement]:
    """Relative paths of tables are relative to the scenario's folder."""
    base = scenario.path if scenario.path.is_dir() else scenario.path.parent
    out: list[Statement] = []
    for statement in parsed:
        if isinstance(statement, CreateTable):
            options = tuple(
                (key, str(base / value) if key == "path" else value)
                for key, value in statement.options
            )
            statement = replace(statement, options=options)
        out.append(statement)
    return out


def run_plan(scenario: Scenario, plan: Plan, mode: Mode) -> list[Row]:
    """The changelog in one mode.

    Raises:
        SameriverError: the job failed.
    """
    player = Player(plan.roots, plan.config, mode, scenario.path)
    batches = player.play(steps_for(mode, scenario.steps))
    return [row for batch in batches for row in _rows(batch, plan)]


def _rows(batch: Changes, plan: Plan) -> Iterator[Row]:
    values = rows_as_json(batch.rows, plan.schema, plan.config.zone)
    for kind, row in zip(symbols(batch), values, strict=True):
        yield kind, tuple(compare.comparable(value) for value in row)


# What must match.


def _error(scenario: Scenario, error: SameriverError) -> tuple[tuple[str, ...], str | None]:
    """Differences, and the refusal if an error is as good as an answer."""
    text = render(error, scenario.sql, scenario.path.name)
    if scenario.error is not None:
        code, *fragments = scenario.error
        wrong = [] if error.code == code else [f"expected error {code}, found {error.code}"]
        wrong += [f"the error lacks: {part}" for part in fragments if part not in text]
        return ((*wrong, text) if wrong else ()), None
    if scenario.may_refuse:
        return (), error.code
    return (text,), error.code if error.code in _REFUSALS else None


def _unexpected(scenario: Scenario, found: Sequence[Row]) -> tuple[str, ...]:
    if scenario.error is None:
        return ()
    return (f"expected error {scenario.error[0]}, found {len(found)} changes",)


def _static(scenario: Scenario, plan: Plan) -> tuple[str, ...]:
    """Differences of schema, plan and state."""
    out: list[str] = []
    if scenario.schema is not None:
        found = tuple((field.name, str(field.type)) for field in plan.schema)
        pairs = [f"{name} {type}" for name, type in scenario.schema]
        out += compare.same_text("\n".join(f"{n} {t}" for n, t in found), "\n".join(pairs))
    if scenario.plan is not None:
        out += compare.same_text(physical_text(plan.roots), scenario.plan)
    if scenario.state is not None:
        out += compare.same_text(state_text(plan.roots), scenario.state)
    return tuple(out)


def _changelog(scenario: Scenario, plan: Plan, mode: Mode, found: list[Row]) -> tuple[str, ...]:
    keys = _upsert_keys(plan)
    wrong = compare.wrong_retractions(compare.completed(found, keys)) if _whole(plan) else []
    if scenario.changelog is None:
        return tuple(wrong)
    expected = list(scenario.changelog)
    if scenario.path.is_file():
        found = compare.as_cells(found)
    else:
        expected = [(kind, tuple(map(compare.comparable, row))) for kind, row in expected]
    if mode is not Mode.WRITTEN or _bundled(scenario) or _order_free(scenario, plan):
        tables = (compare.completed(rows, keys) for rows in (found, expected))
        return (*wrong, *compare.same_table(*tables))
    if scenario.exact or _ordered(plan):
        return (*wrong, *compare.same_order(found, expected))
    return (*wrong, *compare.same_changes(found, expected))


def _upsert_keys(plan: Plan) -> tuple[int, ...]:
    """The places of the primary key where the sink takes upserts; else none."""
    root = plan.roots[0]
    kinds = root.input.changelog
    if root.table is None or _REPLACES not in kinds or _REPLACED in kinds:
        return ()
    names = [field.name for field in root.table.written]
    return tuple(names.index(key) for key in root.table.primary_key)


def _bundled(scenario: Scenario) -> bool:
    """Flink's mini-batches end where ours don't; both add up to the same table."""
    return scenario.path.is_dir() and "'table.exec.mini-batch.enabled' = 'true'" in scenario.sql


def _order_free(scenario: Scenario, plan: Plan) -> bool:
    """Flink finds the matches of one row in an order of its own; sums over them show it."""
    aggregates = (n for root in plan.roots for n in _nodes(root) if isinstance(n, GroupAggregate))
    return scenario.path.is_dir() and any(
        isinstance(node, Join) for aggregate in aggregates for node in _nodes(aggregate)
    )


def _ordered(plan: Plan) -> bool:
    """Whether the whole order is promised: one input and no timer."""
    nodes = [node for root in plan.roots for node in _nodes(root)]
    stateful = [node for node in nodes if node.state()]
    scans = [node for node in nodes if isinstance(node, Scan)]
    return len(scans) == 1 and all(isinstance(node, GroupAggregate) for node in stateful)


def _whole(plan: Plan) -> bool:
    """Whether the changelog is that of a table: a filter over updates lets half an update pass."""
    nodes = [node for root in plan.roots for node in _nodes(root)]
    return any(node.state() for node in nodes) and not any(
        getattr(node, "condition", None) is not None and len(node.changelog) > 1 for node in nodes
    )


def _nodes(node: PhysicalNode) -> Iterator[PhysicalNode]:
    yield node
    for below in node.inputs:
        yield from _nodes(below)


def _scans(node: PhysicalNode) -> Iterator[Scan]:
    return (n for n in _nodes(node) if isinstance(n, Scan))


# Filling in.


def write_expected(scenario: Scenario) -> bool:
    """Fills the expected sections of a case in; True if its text changed.

    Raises:
        UserError: BAD_CASE for a folder of Flink's answers, which are never edited.
    """
    if scenario.path.is_dir():
        raise UserError(
            "BAD_CASE", f"'{scenario.path}' holds Flink's answers; they stay as they are"
        )
    text = scenario.path.read_text(encoding="utf-8")
    new = with_expected(text, scenario.path, _found(scenario))
    scenario.path.write_text(new, encoding="utf-8")
    return new != text


def _found(scenario: Scenario) -> dict[str, str]:
    try:
        plan = plan_of(scenario)
        rows = run_plan(scenario, plan, Mode.WRITTEN)
    except SameriverError as error:
        if scenario.error is None:
            raise
        return {"error": "\n".join([error.code, *scenario.error[1:]])}
    return {
        "changelog": "\n".join(map(compare.line, rows)),
        "plan": physical_text(plan.roots),
        "state": state_text(plan.roots),
    }
