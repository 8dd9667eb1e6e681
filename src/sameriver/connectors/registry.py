"""The connectors there are, and the check of a table's options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.schema import Schema
from sameriver.common.types import Root, roots
from sameriver.connectors.absent import ABSENT
from sameriver.connectors.blackhole import BLACKHOLE
from sameriver.connectors.case import CASE
from sameriver.connectors.connector import Connector, ConnectorOption
from sameriver.connectors.datagen import DATAGEN
from sameriver.connectors.filesystem import FILESYSTEM
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.frame import FRAME
from sameriver.connectors.lookup_cache import LOOKUP_OPTIONS, LookupCache
from sameriver.connectors.nexmark import NEXMARK
from sameriver.connectors.print import PRINT

CONNECTORS: dict[str, Connector] = {
    c.name: c for c in (FILESYSTEM, DATAGEN, PRINT, BLACKHOLE, NEXMARK, FRAME, CASE)
}
_OF_SCRIPTS = ", ".join(name for name in CONNECTORS if name not in (FRAME.name, CASE.name))
"""Those that a script can name by itself."""

_COMMON = (
    ConnectorOption("scan.watermark.emit.strategy", "on-periodic or on-event"),
    ConnectorOption("scan.watermark.alignment.*", "accepted; one process reads in step"),
    ConnectorOption(
        "scan.watermark.idle-timeout", "silence after which it holds no watermark back"
    ),
    ConnectorOption("scan.parallelism", "accepted"),
    ConnectorOption("sink.parallelism", "accepted"),
)
"""What any table may have."""


def connector(name: str) -> Connector:
    """The connector of that name, be it one that can't run here.

    Raises:
        UserError: UNKNOWN_CONNECTOR.
    """
    if not name:
        raise UserError(
            "MISSING_OPTION",
            "it has no option 'connector'",
            hint=f"Add WITH ('connector' = '...'). Connectors: {_OF_SCRIPTS}.",
        )
    known = CONNECTORS | ABSENT
    if name not in known:
        raise UserError(
            "UNKNOWN_CONNECTOR",
            f"there is no connector '{name}'",
            hint=f"{nearest(name, known)} Connectors: {_OF_SCRIPTS}.",
            position=place_of(name),
        )
    return known[name]


def check_options(
    name: str,
    options: Mapping[str, str],
    *,
    schema: Schema | None = None,
    metadata: Iterable[str] = (),
) -> None:
    """Checks the WITH options of a table, OPTIONS hints laid over them.

    Args:
        name: value of ``connector``.
        options: ``connector`` may be among them.
        schema: physical columns, for connectors and formats that can't hold all types.
        metadata: metadata keys that the table declares.

    Raises:
        UserError: UNKNOWN_CONNECTOR, UNKNOWN_FORMAT, UNKNOWN_OPTION, MISSING_OPTION, BAD_OPTION,
            UNKNOWN_METADATA, UNSUPPORTED_TYPE.
    """
    found = connector(name)
    known = [*found.options, *_COMMON, *_format_options(found, options)]
    if found.lookup is not None:
        known += LOOKUP_OPTIONS
    for key in options:
        if key != "connector" and not any(_covers(option.key, key) for option in known):
            keys = [option.key for option in known if not option.key.startswith("scan.w")]
            raise UserError(
                "UNKNOWN_OPTION",
                f"connector '{name}' has no option '{key}'",
                hint=nearest(key, keys),
                position=place_of(key),
            )
    for option in known:
        if option.required and option.key not in options:
            raise UserError(
                "MISSING_OPTION",
                f"connector '{name}' needs option '{option.key}': {option.text}",
                hint=f"Add '{option.key}' = '...' to the WITH clause.",
                position=place_of(name),
            )
    _check_metadata(found, metadata)
    if found.lookup is not None:
        LookupCache.of(options)
    columns = schema or Schema(())
    if found.source is not None:
        _check_types(found, columns)
    if found.check is not None:
        found.check(options, columns)


def _check_types(found: Connector, columns: Schema) -> None:
    """Refuses types that are known inside a job only.

    Raises:
        UserError: UNSUPPORTED_TYPE.
    """
    for field in columns:
        inner = next((root for root in roots(field.type) if root in _INSIDE), None)
        if inner is not None:
            raise UserError(
                "UNSUPPORTED_TYPE",
                f"column '{field.name}' is a {field.type.name}, which connector '{found.name}'"
                " can't hold",
                hint=_INSIDE[inner],
            )


_INSIDE = {
    Root.BITMAP: "Declare BYTES: BITMAP_TO_BYTES and BITMAP_FROM_BYTES convert.",
    Root.VARIANT: "Declare STRING: JSON_STRING and PARSE_JSON convert.",
    Root.STRUCTURED: "Declare a ROW of its fields, or a column for each.",
}


def looked_up(name: str, options: Mapping[str, str]) -> bool:
    """Whether rows of a table of these options can be looked up by key."""
    found = connector(name)
    return found.lookup is not None and changelog(name, options) == {ChangeKind.INSERT}


def reads_fields(name: str, options: Mapping[str, str]) -> bool:
    """Whether a source can read some fields of a ROW without the others."""
    ask = connector(name).fields
    return ask is not None and ask(options)


def changelog(name: str, options: Mapping[str, str]) -> frozenset[ChangeKind]:
    """Kinds that a source delivers."""
    make = connector(name).changelog
    return frozenset({ChangeKind.INSERT}) if make is None else make(options)


def accepts(name: str, options: Mapping[str, str]) -> frozenset[ChangeKind]:
    """Kinds that a sink takes."""
    make = connector(name).accepts
    return frozenset(ChangeKind) if make is None else make(options)


def _format_options(found: Connector, options: Mapping[str, str]) -> list[ConnectorOption]:
    """Options of the chosen format, prefixed with its name."""
    if not found.formats or "format" not in options:
        return []
    chosen = format_of(options["format"])
    return [
        ConnectorOption(f"{chosen.name}.{option.key}", option.text, option.default)
        for option in chosen.options
    ]


def _covers(pattern: str, key: str) -> bool:
    return key.startswith(pattern[:-1]) if pattern.endswith(".*") else key == pattern


def _check_metadata(found: Connector, keys: Iterable[str]) -> None:
    known = [field.name for field in found.metadata]
    for key in keys:
        if key not in known:
            raise UserError(
                "UNKNOWN_METADATA",
                f"connector '{found.name}' has no metadata '{key}'",
                hint=nearest(key, known) or "It has none: drop the column.",
                position=place_of(key),
            )
