"""Flink's planner, and a cluster that runs what it planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Any

from sameriver.common.errors import ExternalError, UserError
from sameriver.flink.failures import Place, flink_errors
from sameriver.flink.jvm import VERSION, Jvm
from sameriver.flink.rest import Rest, host_and_port

_SLOTS = 8
"""Fewest slots of the local cluster: several small jobs may run side by side."""
_WAY = ("execution.target", "rest.address", "rest.port")
"""Options that say where a job runs."""


class Gateway:
    """A Java process with Flink's planner, and the way to a cluster.

    The planner needs no cluster. ``rest`` is the address of the session cluster that was named;
    without one, a local cluster is started inside the Java process the first time it is asked for.

    Attributes:
        is_local: whether the cluster ends with the Java process.

    Example:
        >>> with Gateway.start() as gateway:
        ...     flink = gateway.environment({"pipeline.name": "sums"})
        ...     flink.execute("CREATE TABLE orders (...) WITH (...)")
        ...     plan = flink.compile(["INSERT INTO sums SELECT ..."])
        ...     job = flink.execute_plan(plan)
    """

    def __init__(
        self, jvm: Jvm, *, cluster: str | None, parallelism: int | None, jars: Sequence[Path]
    ) -> None:
        self.jvm = jvm
        self.parallelism = parallelism
        self.jars = tuple(jars)
        self.is_local = cluster is None
        self._rest = cluster
        self._local: Any = None

    @classmethod
    def start(
        cls,
        *,
        cluster: str | None = None,
        parallelism: int | None = None,
        jars: Iterable[Path] = (),
    ) -> Gateway:
        """Starts the Java process.

        Args:
            cluster: ``HOST:PORT`` of a session cluster's REST address; None: a local cluster.
            parallelism: of all jobs, whatever their options say.
            jars: connectors and formats that Flink's package lacks.

        Raises:
            UserError: BAD_CLUSTER, NO_JAR.
            ExternalError: NO_CLUSTER, WRONG_FLINK, NO_FLINK, NO_JAVA, WRONG_JAVA, JVM_FAILED.
        """
        if cluster is not None:
            check_version(Rest(cluster))
        jars = [path.absolute() for path in jars]
        for path in jars:
            if not path.is_file():
                raise UserError("NO_JAR", f"there is no file '{path}'", hint="--jar takes a file.")
        return cls(Jvm(), cluster=cluster, parallelism=parallelism, jars=jars)

    @property
    def flink(self) -> Any:
        """Flink's classes: ``gateway.flink.table.api`` is the package ``org.apache.flink...``."""
        return self.jvm.classes.org.apache.flink

    def environment(self, options: Mapping[str, str] | None = None) -> Environment:
        """A new session of the planner, with a catalog of its own.

        Args:
            options: Flink's, by their keys.

        Raises:
            ExternalError: FLINK_FAILED.
        """
        with flink_errors():
            api = self.flink.table.api
            settings = api.EnvironmentSettings.newInstance().inStreamingMode().build()
            environment = Environment(self, api.TableEnvironment.create(settings))
            environment.set(options or {})
            for jar in self.jars:
                quoted = str(jar).replace("'", "''")
                environment.execute(f"ADD JAR '{quoted}'")
        return environment

    @property
    def rest(self) -> str:
        """``HOST:PORT`` of the cluster's REST address.

        Raises:
            ExternalError: FLINK_FAILED: the local cluster did not start.
        """
        if self._rest is None:
            with flink_errors():
                self._local = self._start_local()
                address = self._local.getRestAddress().get()
                self._rest = f"{address.getHost()}:{address.getPort()}"
        return self._rest

    def _start_local(self) -> Any:
        configuration = self.flink.configuration.Configuration()
        for key, value in {
            "rest.address": "localhost",
            "rest.port": "0",
            "rest.bind-port": "0",
            "restart-strategy.type": "none",
            # its parts are one process: a busy machine is no reason to give one up
            "heartbeat.timeout": "600000",
            "pekko.ask.timeout": "120 s",
            # what REST tells is as fresh as this
            "web.refresh-interval": "100",
            "metrics.fetcher.update-interval": "500",
        }.items():
            configuration.setString(key, value)
        cluster = self.flink.runtime.minicluster
        builder = cluster.MiniClusterConfiguration.Builder()
        builder.setConfiguration(configuration).setNumTaskManagers(1)
        builder.setNumSlotsPerTaskManager(max(_SLOTS, self.parallelism or 1))
        local = cluster.MiniCluster(builder.build())
        local.start()
        return local

    def close(self) -> None:
        """Ends the local cluster and the Java process; a session cluster goes on."""
        self.jvm.close()

    def __enter__(self) -> Gateway:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Environment:
    """A session of Flink's planner: tables, options, plans.

    Attributes:
        java: Flink's ``TableEnvironment``.
    """

    def __init__(self, gateway: Gateway, java: Any) -> None:
        self.gateway = gateway
        self.java = java
        self._options: dict[str, str] = {}

    def set(self, options: Mapping[str, str]) -> None:
        """Makes these the options of what follows; earlier ones no longer hold."""
        with flink_errors():
            configuration = self.java.getConfig()
            # a job that was run has left its options here, where the way to it is still asked for
            left = self.java.getPlanner().getExecEnv().getConfiguration()
            for key in self._options.keys() - options.keys():
                configuration.getConfiguration().removeKey(key)
                if key not in _WAY:
                    left.removeKey(key)
            for key, value in options.items():
                configuration.set(key, value)
            self._options = dict(options)
            if self.gateway.parallelism is not None:
                configuration.set("parallelism.default", str(self.gateway.parallelism))

    def execute(self, sql: str, place: Place | None = None) -> Any:
        """Executes one statement that is no job, such as CREATE TABLE; Flink's ``TableResult``.

        Args:
            sql: the statement.
            place: of it in the script; errors tell theirs then.

        Raises:
            UserError: FLINK_REFUSED, NOT_ON_FLINK.
            ExternalError: FLINK_FAILED.
        """
        with flink_errors(place):
            return self.java.executeSql(sql)

    def answer(
        self, sql: str, place: Place | None = None
    ) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
        """Column names and rows that such a statement gives, as of SHOW TABLES."""
        result = self.execute(sql, place)
        with flink_errors(place):
            names = tuple(result.getResolvedSchema().getColumnNames())
            rows = self.gateway.flink.util.CollectionUtil.iteratorToList(result.collect())
            return names, tuple(
                tuple(row.getField(position) for position in range(row.getArity())) for row in rows
            )

    def compile(self, inserts: Sequence[str], places: Sequence[Place] = ()) -> str:
        """The compiled plan, as JSON, of INSERTs that run as one job.

        Args:
            inserts: one ``INSERT INTO ...`` each, no EXECUTE and no ``;``.
            places: of each in the script.

        Raises:
            UserError: FLINK_REFUSED, NOT_ON_FLINK.
            ExternalError: FLINK_FAILED.
        """
        together = self._together(inserts, places)
        with flink_errors(places[0] if len(places) == 1 else None):
            return str(together.compilePlan().asJsonString())

    def explain(self, inserts: Sequence[str], places: Sequence[Place] = ()) -> str:
        """Flink's own account of how it would run INSERTs as one job.

        Raises:
            UserError: FLINK_REFUSED, NOT_ON_FLINK.
            ExternalError: FLINK_FAILED.
        """
        together = self._together(inserts, places)
        api = self.gateway.flink.table.api
        with flink_errors(places[0] if len(places) == 1 else None):
            none = self.gateway.jvm.array(api.ExplainDetail)
            return str(together.explain(api.ExplainFormat.TEXT, none))

    def _together(self, inserts: Sequence[str], places: Sequence[Place]) -> Any:
        together = self.java.createStatementSet()
        for insert, place in zip_longest(inserts, places):
            with flink_errors(place):
                together.addInsertSql(insert)
        return together

    def create_as(self, sql: str, place: Place | None = None) -> bool:
        """Makes the table of a CREATE TABLE ... AS, without its rows; whether it is new.

        Raises:
            UserError: FLINK_REFUSED: the table is there already, or what else is wrong.
        """
        with flink_errors(place):
            create = self.java.getParser().parse(sql).get(0).getCreateTableOperation()
            known = self.java.getCatalogManager().getTable(create.getTableIdentifier())
            self.java.executeInternal(create)
            return not known.isPresent()

    def execute_plan(
        self,
        plan: str,
        options: Mapping[str, str] | None = None,
        *,
        savepoint: str | None = None,
    ) -> str:
        """Submits a compiled plan to the cluster; the id of the job, which goes on by itself.

        Args:
            plan: JSON from ``compile``, or one that was made of it.
            options: for this job, besides those of the session.
            savepoint: path of the savepoint (or retained checkpoint) that its state begins with.

        Raises:
            UserError: FLINK_REFUSED.
            ExternalError: FLINK_FAILED: the cluster is not there, or refuses the job.
        """
        extra = {**(options or {})}
        if savepoint is not None:
            extra["execution.state-recovery.path"] = savepoint
        with self._on_cluster(extra), flink_errors():
            reference = self.gateway.flink.table.api.PlanReference.fromJsonString(plan)
            result = self.java.loadPlan(reference).execute()
            return str(result.getJobClient().get().getJobID().toString())

    def query(
        self,
        sql: str,
        columns: Sequence[str],
        options: Mapping[str, str] | None = None,
        place: Place | None = None,
    ) -> Any:
        """Submits a SELECT to the cluster; Flink's ``TableResult``, whose ``collect()`` gives rows.

        Args:
            sql: the query.
            columns: SQL expressions over its columns, which the rows then have.
            options: for this job, besides those of the session.
            place: of the query in the script.

        Raises:
            UserError: FLINK_REFUSED, NOT_ON_FLINK.
            ExternalError: FLINK_FAILED.
        """
        api = self.gateway.flink.table.api
        with self._on_cluster(options or {}), flink_errors(place):
            shown = [api.Expressions.callSql(column) for column in columns]
            expression = self.gateway.flink.table.expressions.Expression
            return (
                self.java.sqlQuery(sql).select(self.gateway.jvm.array(expression, *shown)).execute()
            )

    @contextmanager
    def _on_cluster(self, extra: Mapping[str, str]) -> Iterator[None]:
        """Lets jobs go to the cluster, with a few options more."""
        host, port = host_and_port(self.gateway.rest)
        before = dict(self._options)
        way = dict(zip(_WAY, ("remote", host, str(port)), strict=True))
        self.set({**before, **extra, **way})
        try:
            yield
        finally:
            self.set(before)


def check_version(rest: Rest) -> None:
    """Refuses a cluster whose release may read plans in another way.

    Raises:
        ExternalError: WRONG_FLINK; NO_CLUSTER, CLUSTER_REFUSED.
    """
    found = rest.version()
    if found != VERSION:
        raise ExternalError(
            "WRONG_FLINK",
            f"the cluster at '{rest.address}' runs Flink {found}, not {VERSION}",
            hint=f"Start a cluster of Flink {VERSION}.",
        )
