"""The entry of the registry."""

from __future__ import annotations

from functools import partial

from sameriver.common.changes import ChangeKind
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, STRING, timestamp_ltz
from sameriver.connectors.connector import Connector, ConnectorOption
from sameriver.connectors.filesystem.files import local_path
from sameriver.connectors.filesystem.sink import FilesystemSink
from sameriver.connectors.filesystem.source import FilesystemSource
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.options import Options
from sameriver.connectors.scan_lookup import ScanLookup


def _kinds(options: Options) -> frozenset[ChangeKind]:
    return format_of(options["format"]).changelog


def _check(options: Options, schema: Schema) -> None:
    local_path(options)
    format_of(options["format"]).check(options, schema)


FILESYSTEM = Connector(
    name="filesystem",
    options=(
        ConnectorOption("path", "file, folder or pattern", required=True),
        ConnectorOption("format", "csv, json, debezium-json, parquet or raw", required=True),
        ConnectorOption("partition.default-name", "accepted"),
        ConnectorOption("source.*", "accepted; files are read once"),
        ConnectorOption("sink.rolling-policy.*", "accepted; files roll at checkpoints"),
        ConnectorOption("sink.partition-commit.*", "accepted"),
        ConnectorOption("auto-compaction", "accepted", "false"),
    ),
    source=FilesystemSource,
    lookup=partial(ScanLookup, FilesystemSource),
    sink=FilesystemSink,
    changelog=_kinds,
    accepts=_kinds,
    formats=True,
    metadata=(
        Field("file.path", STRING.not_null),
        Field("file.name", STRING.not_null),
        Field("file.size", BIGINT.not_null),
        Field("file.modification-time", timestamp_ltz(3).not_null),
    ),
    check=_check,
)
