"""What a script can name: tables, views and functions, in catalogs and databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from sameriver.common.errors import Position, UserError, nearest
from sameriver.common.schema import Schema
from sameriver.plan.table import Table
from sameriver.sql.statements import CreateFunction

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"

Namespace = tuple[str, str]
"""Catalog and database."""
Path = tuple[str, str, str]
"""Catalog, database and name."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A named query. It is bound again where it is used, in the namespace it was made in."""

    name: str
    columns: tuple[str, ...]
    query: exp.Expr
    namespace: Namespace
    schema: Schema
    comment: str = ""


class Catalog:
    """Objects by their full path. Names are case-sensitive, as in Flink."""

    def __init__(self) -> None:
        self._databases: dict[str, set[str]] = {DEFAULT_CATALOG: {DEFAULT_DATABASE}}
        self._objects: dict[Path, Table | View] = {}
        self._functions: dict[Path, CreateFunction] = {}
        self.namespace: Namespace = (DEFAULT_CATALOG, DEFAULT_DATABASE)

    def path(self, parts: tuple[str, ...], namespace: Namespace | None = None) -> Path:
        """The full path of a name, seen from a namespace (the current one)."""
        catalog, database = namespace or self.namespace
        if len(parts) > 3:
            raise UserError(
                "BAD_NAME",
                f"'{'.'.join(parts)}' has too many parts",
                hint="Write table, database.table or catalog.database.table.",
            )
        full = (catalog, database, *parts) if len(parts) == 1 else (catalog, *parts)
        return full[-3], full[-2], full[-1]

    def display(self, path: Path) -> str:
        """The simple name in the default database, else the dotted one."""
        default = path[:2] == (DEFAULT_CATALOG, DEFAULT_DATABASE)
        return path[2] if default else ".".join(path)

    def find(
        self, parts: tuple[str, ...], namespace: Namespace | None = None
    ) -> Table | View | None:
        """The table or view of a name; None if there is none."""
        return self._objects.get(self.path(parts, namespace))

    def get(
        self,
        parts: tuple[str, ...],
        position: Position | None = None,
        namespace: Namespace | None = None,
    ) -> Table | View:
        """The table or view of a name.

        Raises:
            UserError: UNKNOWN_TABLE, with the nearest name.
        """
        found = self.find(parts, namespace)
        if found is None:
            known = [name for name, _ in self.items(namespace)]
            raise UserError(
                "UNKNOWN_TABLE",
                f"there is no table or view '{'.'.join(parts)}'",
                hint=nearest(parts[-1], known) or "Declare it first with CREATE TABLE.",
                position=position,
            )
        return found

    def items(self, namespace: Namespace | None = None) -> Iterator[tuple[str, Table | View]]:
        """Simple names and objects of a database (the current one), by name."""
        wanted = namespace or self.namespace
        for path, item in sorted(self._objects.items(), key=lambda pair: pair[0]):
            if path[:2] == wanted:
                yield path[2], item

    def add(
        self,
        parts: tuple[str, ...],
        item: Table | View,
        *,
        if_not_exists: bool = False,
        replace: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Adds a table or view; whether it is new.

        Raises:
            UserError: TABLE_EXISTS, UNKNOWN_DATABASE.
        """
        path = self._settled(parts, position)
        if path in self._objects and not replace:
            if if_not_exists:
                return False
            raise UserError(
                "TABLE_EXISTS",
                f"there is a table or view '{'.'.join(parts)}' already",
                hint="Use another name, IF NOT EXISTS, or DROP the old one first.",
                position=position,
            )
        self._objects[path] = item
        return True

    def drop(
        self,
        kind: str,
        parts: tuple[str, ...],
        *,
        if_exists: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Drops a TABLE or VIEW; whether it was there.

        Raises:
            UserError: UNKNOWN_TABLE, WRONG_KIND if a table is dropped as a view or the like.
        """
        if if_exists and self.find(parts) is None:
            return False
        found = self.get(parts, position)
        actual = "VIEW" if isinstance(found, View) else "TABLE"
        if actual != kind:
            raise UserError(
                "WRONG_KIND",
                f"'{'.'.join(parts)}' is a {actual.lower()}, not a {kind.lower()}",
                hint=f"Write DROP {actual} {'.'.join(parts)}.",
                position=position,
            )
        del self._objects[self.path(parts)]
        return True

    def add_function(self, create: CreateFunction) -> bool:
        """Adds a function; whether it is new.

        Raises:
            UserError: FUNCTION_EXISTS, UNKNOWN_DATABASE.
        """
        path = self._settled(create.name.parts, create.position)
        if path in self._functions:
            if create.if_not_exists:
                return False
            raise UserError(
                "FUNCTION_EXISTS",
                f"there is a function '{create.name}' already",
                hint="Use another name, IF NOT EXISTS, or DROP the old one first.",
                position=create.position,
            )
        self._functions[path] = create
        return True

    def function(self, name: str) -> CreateFunction | None:
        """The function a script created under this name, in any case."""
        for path, function in self._functions.items():
            if path[2].upper() == name.upper() and path[:2] == self.namespace:
                return function
        return None

    def functions(self) -> list[str]:
        """Names of the functions that scripts created, in the current database."""
        return sorted(path[2] for path in self._functions if path[:2] == self.namespace)

    def drop_function(
        self, parts: tuple[str, ...], *, if_exists: bool = False, position: Position | None = None
    ) -> bool:
        """Drops a function; whether it was there.

        Raises:
            UserError: UNKNOWN_FUNCTION.
        """
        path = self.path(parts)
        if path not in self._functions and not if_exists:
            raise UserError(
                "UNKNOWN_FUNCTION",
                f"there is no function '{'.'.join(parts)}' to drop",
                hint=nearest(parts[-1], self.functions()),
                position=position,
            )
        return self._functions.pop(path, None) is not None

    def catalogs(self) -> list[str]:
        return sorted(self._databases)

    def databases(self, catalog: str | None = None) -> list[str]:
        """Databases of a catalog (the current one)."""
        return sorted(self._databases[catalog or self.namespace[0]])

    def create_catalog(
        self, name: str, *, if_not_exists: bool = False, position: Position | None = None
    ) -> bool:
        """Makes a catalog with a database ``default``; whether it is new."""
        return self._create(
            "CATALOG", name, self._databases, if_not_exists, position, self._open_catalog
        )

    def create_database(
        self,
        parts: tuple[str, ...],
        *,
        if_not_exists: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Makes a database; whether it is new."""
        known = self._databases[self._catalog_of(parts, position)]
        return self._create("DATABASE", parts[-1], known, if_not_exists, position, known.add)

    def _open_catalog(self, name: str) -> None:
        self._databases[name] = {"default"}

    def _create(
        self,
        kind: str,
        name: str,
        known: set[str] | dict[str, set[str]],
        if_not_exists: bool,
        position: Position | None,
        create: Callable[[str], None],
    ) -> bool:
        if name not in known:
            create(name)
            return True
        if not if_not_exists:
            raise UserError(
                f"{kind}_EXISTS",
                f"there is a {kind.lower()} '{name}' already",
                hint="Use another name or IF NOT EXISTS.",
                position=position,
            )
        return False

    def drop_namespace(
        self,
        kind: str,
        parts: tuple[str, ...],
        *,
        if_exists: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Drops an empty CATALOG or DATABASE; whether it was there.

        Raises:
            UserError: UNKNOWN_CATALOG, UNKNOWN_DATABASE, NOT_EMPTY, or IN_USE.
        """
        name = parts[-1]
        catalog = name if kind == "CATALOG" else self._catalog_of(parts, position)
        known = self._databases if kind == "CATALOG" else self._databases[catalog]
        if name not in known:
            if if_exists:
                return False
            raise self._unknown(kind, name, position)
        depth = 1 if kind == "CATALOG" else 2
        target = (catalog, name)[-depth:] if kind == "DATABASE" else (catalog,)
        if self.namespace[:depth] == target:
            raise UserError(
                "IN_USE",
                f"the {kind.lower()} '{name}' is in use",
                hint=f"USE another {kind.lower()} first.",
                position=position,
            )
        if any(path[:depth] == target for path in (*self._objects, *self._functions)):
            raise UserError(
                "NOT_EMPTY",
                f"the {kind.lower()} '{name}' still holds tables, views or functions",
                hint="DROP them first.",
                position=position,
            )
        if kind == "CATALOG":
            del self._databases[name]
        else:
            self._databases[catalog].discard(name)
        return True

    def use(self, kind: str, parts: tuple[str, ...], position: Position | None = None) -> None:
        """USE [CATALOG]: makes a catalog or database the current one.

        Raises:
            UserError: UNKNOWN_CATALOG, UNKNOWN_DATABASE.
        """
        if kind == "CATALOG":
            if parts[-1] not in self._databases:
                raise self._unknown(kind, parts[-1], position)
            first = min(self._databases[parts[-1]], default="default")
            self.namespace = (parts[-1], first)
            return
        catalog = self._catalog_of(parts, position)
        if parts[-1] not in self._databases[catalog]:
            raise self._unknown(kind, parts[-1], position)
        self.namespace = (catalog, parts[-1])

    def _catalog_of(self, parts: tuple[str, ...], position: Position | None) -> str:
        catalog = parts[0] if len(parts) > 1 else self.namespace[0]
        if catalog not in self._databases:
            raise self._unknown("CATALOG", catalog, position)
        return catalog

    def _settled(self, parts: tuple[str, ...], position: Position | None) -> Path:
        """The path of a new object; its database must exist."""
        path = self.path(parts)
        if path[0] not in self._databases:
            raise self._unknown("CATALOG", path[0], position)
        if path[1] not in self._databases[path[0]]:
            raise self._unknown("DATABASE", path[1], position)
        return path

    def _unknown(self, kind: str, name: str, position: Position | None) -> UserError:
        known = self._databases if kind == "CATALOG" else set().union(*self._databases.values())
        return UserError(
            f"UNKNOWN_{kind}",
            f"there is no {kind.lower()} '{name}'",
            hint=nearest(name, known),
            position=position,
        )
