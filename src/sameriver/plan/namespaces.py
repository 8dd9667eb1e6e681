"""Catalogs and databases: where simple names are looked up."""

from __future__ import annotations

from collections.abc import Callable

from sameriver.common.errors import Position, UserError, nearest

DEFAULT_CATALOG = "default_catalog"
DEFAULT_DATABASE = "default_database"

Namespace = tuple[str, str]
"""Catalog and database."""
Path = tuple[str, str, str]
"""Catalog, database and name."""


class Namespaces:
    """Catalogs, their databases, and the current one of each. Names are case-sensitive."""

    def __init__(self) -> None:
        self._databases: dict[str, set[str]] = {DEFAULT_CATALOG: {DEFAULT_DATABASE}}
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
        """Drops a CATALOG or DATABASE; whether it was there.

        Raises:
            UserError: UNKNOWN_CATALOG, UNKNOWN_DATABASE, IN_USE.
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

    def settled(self, parts: tuple[str, ...], position: Position | None) -> Path:
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
