"""The Python API: a catalog, options, and statements that run in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from sameriver.common.changes import Changes
from sameriver.common.config import Config
from sameriver.common.errors import UserError
from sameriver.common.time import Clock, SystemClock
from sameriver.connectors.changelog_mode import CHANGELOG_MODE, delivered, is_upsert
from sameriver.connectors.connector import Sink
from sameriver.connectors.frame import KIND_COLUMN, register_frames
from sameriver.engine.checkpoints import Checkpointer, Saving
from sameriver.engine.driver import Driver, run
from sameriver.engine.job import Job, Sources
from sameriver.functions.python import PythonFunction
from sameriver.plan.bind import bind_create_as, bind_table, bind_view
from sameriver.plan.catalog import Catalog
from sameriver.plan.table import Table
from sameriver.session import commands
from sameriver.session.commands import OK, Listing, listing
from sameriver.session.frames import Frames, create_table, frames, schema_of
from sameriver.session.functions import check_function, imported
from sameriver.session.keeper import Keeper, Running, StateDir, Watch
from sameriver.session.plans import Plan, check_table, plan, plan_of
from sameriver.session.result import Result
from sameriver.sql import parse_script, statements
from sameriver.sql.statements import Statement


class Session:
    """Runs Flink SQL in this process.

    A session holds a catalog of tables and views and the options that ``SET`` changes; statements
    see what the ones before them did.

    Args:
        config: options to begin with, by Flink's keys; RESET goes back to them.
        clock: processing time; the machine's clock if None.

    Raises:
        UserError: UNKNOWN_OPTION, BAD_OPTION, BAD_DURATION.

    Example:
        >>> result = Session().sql("SELECT a + 1 AS b FROM (VALUES (1), (2)) AS t (a)")
        >>> result.to_polars()["b"].to_list()
        [2, 3]
    """

    def __init__(
        self, config: Mapping[str, str] | None = None, *, clock: Clock | None = None
    ) -> None:
        self._initial = Config()
        for key, value in (config or {}).items():
            self._initial = self._initial.with_option(key, value)
        self.config = self._initial
        self.clock = clock or SystemClock()
        self.catalog = Catalog()

    # Statements.

    def execute(
        self,
        script: str,
        *,
        stop: Event | None = None,
        progress: Watch | None = None,
        state: StateDir | str | Path | None = None,
    ) -> list[Result]:
        """Runs a script; one result a statement.

        INSERTs and statement sets run to their end here. Queries run when their result is read.

        Args:
            script: statements that ``;`` ends.
            stop: set it from another thread to stop the running job between two batches.
            progress: called after each batch of a running job.
            state: where the script's jobs keep their state. A script that was stopped goes on
                where it was; one that has ended does nothing.

        Raises:
            SameriverError: the first statement that is wrong, or whose job failed; what came
                before it has been done.
        """
        return list(self.results(script, stop=stop, progress=progress, state=state))

    def results(
        self,
        script: str,
        *,
        stop: Event | None = None,
        progress: Watch | None = None,
        state: StateDir | str | Path | None = None,
    ) -> Iterator[Result]:
        """The same one by one: a statement is executed when its result is asked for.

        With ``state`` a script that is told to stop goes no further.
        """
        parsed = parse_script(script)
        keeper = None if state is None else Keeper(state, script, self._plan_apart, self.clock)
        running = Running(stop, progress, keeper)
        for statement in parsed:
            yield self._execute(statement, running)
            if keeper is not None and running.stopped:
                return

    def sql(self, query: str) -> Result:
        """Runs a single statement, most often a query.

        Raises:
            UserError: ONE_STATEMENT if there are none or several; whatever is wrong with it.
            ExternalError: its job failed.
        """
        parsed = parse_script(query)
        if len(parsed) != 1:
            raise UserError(
                "ONE_STATEMENT",
                f"'sql' takes one statement, not {len(parsed)}",
                hint="Use 'execute' for scripts.",
            )
        return self._execute(parsed[0], Running())

    def plan(self, script: str | Iterable[Statement]) -> list[Plan]:
        """The plans of all jobs of a script; definitions and options take effect, jobs don't run.

        Args:
            script: text, or statements that are parsed already.

        Raises:
            UserError: what is wrong with the script.
        """
        plans = []
        for statement in parse_script(script) if isinstance(script, str) else script:
            inner = statement.statement if isinstance(statement, statements.Explain) else statement
            planned = self._plan(inner)
            if planned is None:
                self._command(inner)
            else:
                plans.append(planned)
        return plans

    def _plan_apart(self, script: str) -> tuple[list[Plan], Config]:
        """The plans of a script, and the options at its end; this session stays as it is."""
        other = Session(self._initial, clock=self.clock)
        other.config, other.catalog = self.config, self.catalog.copy()
        return other.plan(script), other.config

    def explain(self, script: str, *, format: str = "text") -> str:
        """Logical plan, physical plan and state tables of all jobs of a script.

        Args:
            script: definitions take effect; jobs are not run.
            format: ``text`` or ``json`` (a list with an entry for each job).

        Raises:
            UserError: what is wrong with the script; BAD_FORMAT.
        """
        if format not in ("text", "json"):
            raise UserError(
                "BAD_FORMAT", f"there is no format '{format}'", hint="Use 'text' or 'json'."
            )
        plans = self.plan(script)
        if format == "text":
            return "\n".join(planned.explain() for planned in plans)
        return f"[{', '.join(planned.explain_json() for planned in plans)}]"

    def job(self, plan: Plan, *, sources: Sources | None = None, sink: Sink | None = None) -> Job:
        """A job to be driven by hand, or by ``engine.driver``.

        Args:
            plan: one of ``plan(script)``.
            sources: stands in for the source of a scan; None from it: the table's own.
            sink: takes all output of the job; None: the tables' own sinks.

        Raises:
            UserError: a table's options are wrong.
            ExternalError: a sink can't be opened.
        """
        return Job(
            plan.roots,
            plan.config,
            clock=self.clock,
            sources=sources,
            sinks=None if sink is None else lambda _: sink,
        )

    # Frames.

    def register(
        self,
        name: str,
        data: Frames,
        *,
        watermark: tuple[str, str] | None = None,
        proctime: str | None = None,
        primary_key: Iterable[str] = (),
        changelog_mode: str = "insert-only",
    ) -> None:
        """Makes frames readable as a table; another table of that name is replaced.

        Args:
            name: of the table.
            data: a Polars, pandas or Arrow frame, an iterable of them (a stream, each frame a
                batch), or a function that makes one. An iterator can be read by one query, and a
                job with a state folder can't go on in it; all others by any number.
            watermark: event-time column and the SQL of its watermark, such as
                ``("ts", "ts - INTERVAL '5' SECOND")``. The column is read as TIMESTAMP(3).
            proctime: name of a processing-time column to add.
            primary_key: names of columns.
            changelog_mode: ``insert-only``; with ``upsert`` or ``all`` a column ``$kind`` of the
                frames says ``+I``, ``+U``, ``-D`` and, with ``all``, ``-U``. An upsert replaces
                or, with ``-D``, deletes the row of its primary key.

        Raises:
            UserError: NOT_A_FRAME, UNSUPPORTED_TYPE, UNKNOWN_COLUMN, BAD_OPTION,
                MISSING_PRIMARY_KEY, or what is wrong with the watermark.
        """
        head, every = frames(data)
        options = {"connector": "frame", CHANGELOG_MODE.key: changelog_mode}
        key = tuple(primary_key)
        if is_upsert(options) and not key:
            raise UserError(
                "MISSING_PRIMARY_KEY",
                f"the changes of '{name}' are upserts, which need a key to tell rows by",
                hint="Name its columns: register(..., primary_key=[...]).",
            )
        if len(delivered(options)) > 1:
            head = head.drop(KIND_COLUMN, strict=False)
        schema = schema_of(head, None if watermark is None else watermark[0])
        ddl = create_table(
            name,
            schema,
            {**options, "frame": register_frames(every, replayable=not isinstance(data, Iterator))},
            watermark=watermark,
            proctime=proctime,
            primary_key=key,
        )
        (create,) = parse_script(ddl)
        assert isinstance(create, statements.CreateTable)
        self.catalog.add((name,), bind_table(create, self.catalog, self.config), replace=True)

    # Functions.

    def register_function(self, name: str, function: PythonFunction | type[object]) -> None:
        """Makes a function known to SQL, in all databases; one of that name is replaced.

        Args:
            name: what SQL calls it, in any case.
            function: what ``@udf``, ``@udtf`` or ``@udaf`` decorates (type checkers take a
                decorated class for a type).

        Raises:
            UserError: NOT_A_FUNCTION, FUNCTION_EXISTS if Flink has a function of that name.
        """
        checked = check_function(function, name)
        self.catalog.add_function((name,), checked, system=True, replace=True)

    # One statement.

    def _execute(self, statement: Statement, running: Running) -> Result:
        planned = self._plan(statement)
        if planned is None:
            return self._small(statement, self._command(statement))
        saving = None if running.keeper is None else running.keeper.next(planned)
        if isinstance(statement, statements.Query):
            batches = self._run_query(planned, running, saving)
            return Result(planned.schema, batches, statement, planned.config.zone)
        with _placed(statement):
            last = run(
                self.job(planned),
                stop=running.stop,
                progress=running.progress,
                checkpoints=_checkpointer(saving),
            )
        return self._small(statement, listing(["rows written"], [[str(last.rows_out)]]))

    def _small(self, statement: Statement, shown: Listing) -> Result:
        batches = iter((Changes(shown.rows),))
        return Result(shown.schema, batches, statement, self.config.zone)

    def _run_query(
        self, planned: Plan, running: Running, saving: Saving | None
    ) -> Iterator[Changes]:
        """Drives the job as its changes are asked for.

        A checkpoint comes after all changes that it covers have been taken.
        """
        out = _Outbox()
        with (
            _placed(planned.statement),
            Driver(self.job(planned, sink=out), _checkpointer(saving)) as driver,
        ):
            alive = True
            while alive:
                alive = driver.step() and not running.stopped
                if running.progress is not None:
                    running.progress(driver.progress())
                while out.batches:
                    yield out.batches.popleft()

    def _plan(self, statement: Statement) -> Plan | None:
        """The plan of a statement that is a job."""
        with _placed(statement):
            match statement:
                case statements.Query() | statements.Insert() | statements.StatementSet():
                    return plan(statement, self.catalog, self.config)
                case statements.CreateTable(query=query) if query is not None:
                    return self._create_as(statement)
        return None

    def _create_as(self, create: statements.CreateTable) -> Plan | None:
        insert = bind_create_as(create, self.catalog, self.config)
        new = self.catalog.add(
            create.name.parts,
            insert.table,
            if_not_exists=create.if_not_exists,
            position=create.position,
        )
        return plan_of(create, (insert,), self.config) if new else None

    def _command(self, statement: Statement) -> Listing:
        """Does a statement that is no job."""
        match statement:
            case statements.SetOption():
                self.config, shown = commands.set_option(statement, self.config)
                return shown
            case statements.ResetOption():
                self.config = commands.reset_option(statement, self.config, self._initial)
            case statements.Show():
                return commands.show(statement, self.catalog)
            case statements.Describe():
                return commands.describe(statement, self.catalog)
            case statements.Explain(statement=inner):
                return self._explain(inner)
            case statements.Use(kind=kind, name=name):
                self.catalog.use(kind, name.parts, name.position)
            case statements.Drop():
                self._drop(statement)
            case _:
                self._create(statement)
        return OK

    def _explain(self, statement: Statement) -> Listing:
        planned = self._plan(statement)
        if planned is None:
            raise UserError(
                "UNSUPPORTED",
                f"EXPLAIN takes a query or an INSERT, not '{type(statement).__name__}'",
                hint="Write EXPLAIN SELECT ... or EXPLAIN INSERT INTO ...",
                position=getattr(statement, "position", None),
            )
        return listing(["result"], [[planned.explain()]])

    def _create(self, statement: Statement) -> None:
        match statement:
            case statements.CreateTable():
                table = bind_table(statement, self.catalog, self.config)
                _check(table, statement)
                self.catalog.add(
                    statement.name.parts,
                    table,
                    if_not_exists=statement.if_not_exists,
                    position=statement.position,
                )
            case statements.CreateView():
                self.catalog.add(
                    statement.name.parts,
                    bind_view(statement, self.catalog, self.config),
                    if_not_exists=statement.if_not_exists,
                    replace=statement.or_replace,
                    position=statement.position,
                )
            case statements.CreateFunction():
                self.catalog.add_function(
                    statement.name.parts,
                    imported(statement),
                    system=statement.system,
                    if_not_exists=statement.if_not_exists,
                    position=statement.position,
                )
            case statements.CreateNamespace(kind="CATALOG", name=name, position=position):
                self.catalog.create_catalog(
                    name.parts[-1], if_not_exists=statement.if_not_exists, position=position
                )
            case statements.CreateNamespace(name=name, position=position):
                self.catalog.create_database(
                    name.parts, if_not_exists=statement.if_not_exists, position=position
                )

    def _drop(self, drop: statements.Drop) -> None:
        parts, quiet, position = drop.name.parts, drop.if_exists, drop.name.position
        match drop.kind:
            case "TABLE" | "VIEW":
                self.catalog.drop(drop.kind, parts, if_exists=quiet, position=position)
            case "FUNCTION":
                self.catalog.drop_function(parts, if_exists=quiet, position=position)
            case kind:
                self.catalog.drop_namespace(
                    kind, parts, if_exists=quiet, cascade=drop.cascade, position=position
                )


def _check(table: Table, create: statements.CreateTable) -> None:
    """Options that are wrong are told now, ones that are missing when the table is used.

    A table may serve LIKE alone, which adds what is missing.
    """
    if not table.connector:
        return
    try:
        check_table(table)
    except UserError as error:
        if error.code != "MISSING_OPTION":
            named = (c.position for c in create.columns if f"column '{c.name}'" in error.message)
            raise error.at(next(named, None)).at(create.position) from None


@contextmanager
def _placed(statement: Statement) -> Iterator[None]:
    """Gives errors of the user's that have no place that of the statement.

    Raises:
        UserError: also TOO_DEEP, for expressions that Python can't follow to their end.
    """
    position = getattr(statement, "position", None)
    try:
        yield
    except UserError as error:
        raise error.at(position) from None
    except RecursionError:
        raise UserError(
            "TOO_DEEP",
            "the expressions of the statement nest too deeply",
            hint="Compute parts of them in derived tables or views.",
            position=position,
        ) from None


def _checkpointer(saving: Saving | None) -> Checkpointer | None:
    return None if saving is None else Checkpointer(saving)


class _Outbox:
    """A sink that holds batches until they are taken."""

    def __init__(self) -> None:
        self.batches: deque[Changes] = deque()

    def write(self, changes: Changes) -> None:
        self.batches.append(changes)

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...
