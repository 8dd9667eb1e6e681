"""The entry of the registry."""

from __future__ import annotations

from functools import partial

from sameriver.common.changes import ChangeKind
from sameriver.common.schema import Field, Schema
from sameriver.common.types import BIGINT, STRING, timestamp_ltz
from sameriver.connectors.connector import Connector, ConnectorOption
from sameriver.connectors.filesystem.compression import COMPRESSION, suffix
from sameriver.connectors.filesystem.files import local_path
from sameriver.connectors.filesystem.partition_commit import check_partition_commit
from sameriver.connectors.filesystem.partitions import DEFAULT_NAME
from sameriver.connectors.filesystem.rolling import Rolling
from sameriver.connectors.filesystem.sink import FilesystemSink
from sameriver.connectors.filesystem.source import FilesystemSource
from sameriver.connectors.filesystem.watch import Watch
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.options import Options
from sameriver.connectors.scan_lookup import ScanLookup


def _kinds(options: Options) -> frozenset[ChangeKind]:
    return format_of(options["format"]).changelog


def _fields(options: Options) -> bool:
    return format_of(options["format"]).fields


def _check(options: Options, schema: Schema) -> None:
    local_path(options)
    Watch.of(options)
    suffix(options)
    Rolling.of(options)
    check_partition_commit(options)
    format_of(options["format"]).check(options, schema)


FILESYSTEM = Connector(
    name="filesystem",
    options=(
        ConnectorOption("path", "file, folder or pattern", required=True),
        ConnectorOption("format", "csv, json, debezium-json, parquet or raw", required=True),
        DEFAULT_NAME,
        ConnectorOption("source.monitor-interval", "looks for new files and lines so often"),
        ConnectorOption("source.path.regex-pattern", "absolute paths that are read"),
        ConnectorOption("source.report-statistics", "accepted", "all"),
        COMPRESSION,
        ConnectorOption("sink.rolling-policy.file-size", "a file so large is finished", "128 mb"),
        ConnectorOption("sink.rolling-policy.rollover-interval", "as is one so old", "30 min"),
        ConnectorOption("sink.rolling-policy.inactivity-interval", "or idle so long", "30 min"),
        ConnectorOption("sink.rolling-policy.check-interval", "accepted", "1 min"),
        ConnectorOption("sink.partition-commit.trigger", "process-time", "process-time"),
        ConnectorOption("sink.partition-commit.delay", "age of a complete partition", "0 s"),
        ConnectorOption("sink.partition-commit.policy.kind", "success-file"),
        ConnectorOption("sink.partition-commit.success-file.name", "its name", "_SUCCESS"),
        ConnectorOption("auto-compaction", "accepted", "false"),
    ),
    source=FilesystemSource,
    lookup=partial(ScanLookup, FilesystemSource),
    sink=FilesystemSink,
    changelog=_kinds,
    accepts=_kinds,
    fields=_fields,
    formats=True,
    metadata=(
        Field("file.path", STRING.not_null),
        Field("file.name", STRING.not_null),
        Field("file.size", BIGINT.not_null),
        Field("file.modification-time", timestamp_ltz(3).not_null),
    ),
    check=_check,
)
