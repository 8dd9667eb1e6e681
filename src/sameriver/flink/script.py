"""A script made ready for Flink: its commands are done, its jobs are planned, none runs yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError
from sameriver.common.schema import Schema
from sameriver.common.types import STRING, DataType
from sameriver.flink.compiled import ZONE, with_zone
from sameriver.flink.failures import Place, flink_errors
from sameriver.flink.gateway import Environment
from sameriver.flink.options import dropped, flink_options
from sameriver.flink.supported import check_supported
from sameriver.flink.texts import Texts
from sameriver.session import commands
from sameriver.sql import parse_script, statements
from sameriver.sql.script import parse_type
from sameriver.sql.statements import Statement

_ABSOLUTE = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The small table that a statement such as SHOW gives; without rows, it says nothing."""

    statement: Statement
    names: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertJob:
    """An INSERT, a statement set or a CREATE TABLE ... AS.

    Attributes:
        plan: Flink's compiled plan, JSON.
        options: Flink's, at that place of the script.
    """

    statement: Statement
    plan: str
    options: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryJob:
    """A SELECT, whose changelog is to be shown.

    Attributes:
        place: its text, and where it stands.
        schema: its columns; what has a type that is not known here is shown as text.
        explained: Flink's own account of how it would run it.
    """

    statement: Statement
    place: Place
    schema: Schema
    explained: str
    options: dict[str, str]


Step = Answer | InsertJob | QueryJob


def prepare(
    script: str,
    environment: Environment,
    config: Config | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> list[Step]:
    """Does the definitions of a script in a planner's session, and plans its jobs.

    Args:
        script: statements that ``;`` ends.
        environment: tables and views are made in it.
        config: options to begin with.
        note: told of options that are left out.

    Raises:
        UserError: the first statement that is wrong, or that Flink does not run; FLINK_REFUSED
            and NOT_ON_FLINK say why.
        ExternalError: FLINK_FAILED.
    """
    parsed = parse_script(script)
    for statement in parsed:
        check_supported(statement)
    return list(_Preparation(environment, Texts(script), config or Config(), note).steps(parsed))


class _Preparation:
    def __init__(
        self,
        environment: Environment,
        texts: Texts,
        config: Config,
        note: Callable[[str], None],
    ) -> None:
        self._environment = environment
        self._texts = texts
        self._initial = config
        self._config = config
        self._note = note
        self._noted: set[str] = set()
        self._apply()

    def _apply(self) -> None:
        """Gives Flink the options there are now."""
        for key in self._config:
            if (text := dropped(key)) and key not in self._noted:
                self._noted.add(key)
                self._note(text)
        self.options = flink_options(self._config)
        self._environment.set(self.options)

    def steps(self, parsed: Sequence[Statement]) -> Iterator[Step]:
        for statement in parsed:
            with flink_errors(self._place(statement)):
                yield self._step(statement)

    def _step(self, statement: Statement) -> Step:
        match statement:
            case statements.SetOption():
                self._config, shown = commands.set_option(statement, self._config)
                self._apply()
                rows = tuple(shown.rows.rows())
                return Answer(statement=statement, names=shown.schema.names, rows=rows)
            case statements.ResetOption():
                self._config = commands.reset_option(statement, self._config, self._initial)
                self._apply()
                return Answer(statement=statement)
            case statements.Query():
                return self._query(statement)
            case statements.Insert():
                return self._insert(statement, (statement,))
            case statements.StatementSet(inserts=inserts):
                return self._insert(statement, inserts)
            case statements.CreateTable(query=query) if query is not None:
                return self._create_as(statement)
            case statements.Explain(statement=inner):
                return self._explain(statement, inner)
        return self._command(statement)

    def _insert(self, statement: Statement, inserts: Sequence[statements.Insert]) -> InsertJob:
        places = [self._place(insert) for insert in inserts]
        plan = self._compiled([place.sql for place in places], places)
        return InsertJob(statement=statement, plan=plan, options=self.options)

    def _compiled(self, inserts: Sequence[str], places: Sequence[Place] = ()) -> str:
        return with_zone(self._environment.compile(inserts, places), self.options[ZONE])

    def _query(self, statement: statements.Query) -> QueryJob:
        place = self._place(statement)
        schema = _schema(self._environment.java.sqlQuery(place.sql).getResolvedSchema())
        # what the planner refuses it refuses now, before any job of the script runs
        _, ((explained,),) = self._environment.answer(f"EXPLAIN {place.sql}", place)
        return QueryJob(
            statement=statement,
            place=place,
            schema=schema,
            explained=str(explained),
            options=self.options,
        )

    def _create_as(self, create: statements.CreateTable) -> Step:
        place = self._place(create)
        if not self._environment.create_as(place.sql, place):
            return Answer(statement=create)
        self._settle_path(create)
        query = self._texts.query_of_create(place.position)
        columns = self._environment.java.sqlQuery(query).getResolvedSchema().getColumnNames()
        target = f"{_quoted(create.name.parts)} ({', '.join(_quoted([name]) for name in columns)})"
        plan = self._compiled([f"INSERT INTO {target} {query}"])
        return InsertJob(statement=create, plan=plan, options=self.options)

    def _explain(self, statement: Statement, inner: Statement) -> Answer:
        if not isinstance(inner, statements.StatementSet):
            return self._command(statement)
        places = [self._place(insert) for insert in inner.inserts]
        told = self._environment.explain([place.sql for place in places], places)
        return Answer(statement=statement, names=("result",), rows=((told,),))

    def _command(self, statement: Statement) -> Answer:
        place = self._place(statement)
        names, rows = self._environment.answer(place.sql, place)
        if isinstance(statement, statements.CreateTable):
            self._settle_path(statement)
        if not isinstance(statement, statements.Show | statements.Describe | statements.Explain):
            return Answer(statement=statement)
        return Answer(statement=statement, names=names, rows=rows)

    def _settle_path(self, create: statements.CreateTable) -> None:
        """A path is relative to the working directory of this process, wherever the job runs."""
        options = dict(create.options)
        path = options.get("path", "")
        is_file = options.get("connector", "filesystem") == "filesystem"
        if path and is_file and not _ABSOLUTE.match(path):
            whole = str(Path(path).absolute()).replace("'", "''")
            name = _quoted(create.name.parts)
            self._environment.execute(f"ALTER TABLE {name} SET ('path' = '{whole}')")

    def _place(self, statement: Statement) -> Place:
        assert statement.position is not None, "statements of a script have a place"
        return Place(statement.position, self._texts.at(statement.position))


def _quoted(parts: Sequence[str]) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def _schema(resolved: Any) -> Schema:
    columns = zip(resolved.getColumnNames(), resolved.getColumnDataTypes(), strict=True)
    return Schema.of([(name, _type(str(type.getLogicalType()))) for name, type in columns])


def _type(text: str) -> DataType:
    """A type as Flink writes it; what it adds about time attributes does not matter here."""
    try:
        return parse_type(re.sub(r" \*\w+\*", "", text))
    except UserError:
        return STRING
