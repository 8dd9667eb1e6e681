"""What a script can name: tables, views and functions, in catalogs and databases."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sameriver import functions
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position, UserError, closest, nearest
from sameriver.common.schema import Schema
from sameriver.functions.python import PythonFunction
from sameriver.plan.namespaces import Namespace, Namespaces, Path
from sameriver.plan.table import Table

__all__ = ["Catalog", "Namespace", "Path", "View"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A named query. It is bound again where it is used, in the namespace it was made in.

    ``said`` is its text.
    """

    name: str
    columns: tuple[str, ...]
    query: exp.Expr
    said: str
    namespace: Namespace
    schema: Schema
    comment: str = ""


class Catalog(Namespaces):
    """Objects by their full path. Names are case-sensitive, as in Flink."""

    def __init__(self) -> None:
        super().__init__()
        self._objects: dict[Path, Table | View] = {}
        self._functions: dict[Path, PythonFunction] = {}
        self._system: dict[str, PythonFunction] = {}

    def copy(self) -> Catalog:
        """The same names and objects; what happens to one does not happen to the other."""
        other = Catalog()
        other.namespace = self.namespace
        other._databases = {name: set(held) for name, held in self._databases.items()}
        other._objects = dict(self._objects)
        other._functions = dict(self._functions)
        other._system = dict(self._system)
        return other

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
        path = self.settled(parts, position)
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
        found = self.find(parts)
        if found is None:
            raise UserError(
                "UNKNOWN_TABLE",
                f"there is no {kind.lower()} '{'.'.join(parts)}' to drop",
                hint=closest(parts[-1], [name for name, _ in self.items()])
                or f"DROP {kind} IF EXISTS passes over what isn't there.",
                position=position,
            )
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

    def add_function(
        self,
        parts: tuple[str, ...],
        function: PythonFunction,
        *,
        system: bool = False,
        if_not_exists: bool = False,
        replace: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Adds a function, to a database or (``system``) for all of them; whether it is new.

        Raises:
            UserError: FUNCTION_EXISTS, also where Flink has one of that name; UNKNOWN_DATABASE.
        """
        simple = parts[-1].upper()
        path = self.settled(parts, position)
        there = simple in self._system if system else path in self._functions
        if there and if_not_exists:
            return False
        if simple in functions.names() or (there and not replace):
            whose = "built-in function" if simple in functions.names() else "function"
            raise UserError(
                "FUNCTION_EXISTS",
                f"there is a {whose} '{'.'.join(parts)}' already",
                hint="Use another name, IF NOT EXISTS, or DROP the old one first.",
                position=position,
            )
        if system:
            self._system[simple] = function
        else:
            self._functions[path] = function
        return True

    def function(self, name: str, namespace: Namespace | None = None) -> PythonFunction | None:
        """The user's function of this name, in any case."""
        wanted = name.upper()
        if wanted in self._system:
            return self._system[wanted]
        for path, function in self._functions.items():
            if path[2].upper() == wanted and path[:2] == (namespace or self.namespace):
                return function
        return None

    def functions(self) -> list[str]:
        """Names of the user's functions that the current database sees."""
        own = (path[2] for path in self._functions if path[:2] == self.namespace)
        return sorted({*own, *(name.lower() for name in self._system)})

    def drop_function(
        self, parts: tuple[str, ...], *, if_exists: bool = False, position: Position | None = None
    ) -> bool:
        """Drops a function; whether it was there.

        Raises:
            UserError: UNKNOWN_FUNCTION.
        """
        simple = parts[-1].upper()
        if len(parts) == 1 and simple in self._system:
            del self._system[simple]
            return True
        wanted = self.path(parts)
        path = next((p for p in self._functions if _same_function(p, wanted)), None)
        if path is not None:
            del self._functions[path]
            return True
        if if_exists:
            return False
        raise UserError(
            "UNKNOWN_FUNCTION",
            f"there is no function '{'.'.join(parts)}' to drop",
            hint=nearest(parts[-1], self.functions()),
            position=position,
        )

    def drop_namespace(
        self,
        kind: str,
        parts: tuple[str, ...],
        *,
        if_exists: bool = False,
        cascade: bool = False,
        position: Position | None = None,
    ) -> bool:
        """Drops a CATALOG or DATABASE, an empty one unless ``cascade``; whether it was there.

        Raises:
            UserError: NOT_EMPTY, UNKNOWN_CATALOG, UNKNOWN_DATABASE, IN_USE.
        """
        target = parts if kind == "CATALOG" or len(parts) > 1 else (self.namespace[0], *parts)
        held = [p for p in (*self._objects, *self._functions) if p[: len(target)] == target]
        if held and not cascade:
            raise UserError(
                "NOT_EMPTY",
                f"the {kind.lower()} '{'.'.join(parts)}' still holds tables, views or functions",
                hint="DROP them first"
                + (", or write CASCADE behind the name." if kind == "DATABASE" else "."),
                position=position,
            )
        dropped = super().drop_namespace(kind, parts, if_exists=if_exists, position=position)
        for path in held:
            self._objects.pop(path, None)
            self._functions.pop(path, None)
        return dropped


def _same_function(one: Path, two: Path) -> bool:
    """Functions go by their name in any case."""
    return one[:2] == two[:2] and one[2].upper() == two[2].upper()
