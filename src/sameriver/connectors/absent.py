"""Flink's connectors that are known to the planner and can't run here.

A script with tables of theirs can be explained and checked: their options, the change kinds they
deliver and take, and whether they look rows up are those of Flink's own connectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from sameriver.common.changes import ChangeKind
from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.schema import Field
from sameriver.common.types import BIGINT, BYTES, INT, STRING, DataType, map_of, timestamp_ltz
from sameriver.connectors.changelog_mode import ALL, INSERT_ONLY, MODES, UPSERT
from sameriver.connectors.connector import Connector, ConnectorOption, TableContext
from sameriver.connectors.options import Options, boolean, choice

_FORMATS = {
    **dict.fromkeys(
        ("json", "csv", "avro", "avro-confluent", "protobuf", "raw", "parquet", "orc"), INSERT_ONLY
    ),
    **dict.fromkeys(
        ("debezium-json", "debezium-avro-confluent", "canal-json", "maxwell-json", "ogg-json"), ALL
    ),
}
"""Formats of Kafka, and the changes they carry."""

Kinds = Callable[[Options], frozenset[ChangeKind]]


def _refuse(context: TableContext) -> NoReturn:
    name = context.options["connector"]
    raise UserError(
        "CONNECTOR_NOT_INSTALLED",
        f"table '{context.name}' has connector '{name}', which is known but can't be run here",
        hint="'explain' works without it. To run, give the table connector 'filesystem', 'datagen',"
        " 'print' or 'blackhole', or register a frame in its place.",
    )


def _always(mode: str) -> Kinds:
    return lambda options: MODES[mode]


def _of_format(options: Options) -> frozenset[ChangeKind]:
    name = options.get("format", options.get("value.format", "json"))
    if name not in _FORMATS:
        raise UserError(
            "UNKNOWN_FORMAT",
            f"there is no format '{name}'",
            hint=f"{nearest(name, _FORMATS)} Formats: {', '.join(_FORMATS)}.",
            position=place_of(name),
        )
    return MODES[_FORMATS[name]]


def _options(required: Sequence[str], others: Sequence[str]) -> tuple[ConnectorOption, ...]:
    needed = [ConnectorOption(key, "see Flink's documentation", required=True) for key in required]
    return (*needed, *(ConnectorOption(key, "not read") for key in others))


def _absent(
    name: str,
    required: Sequence[str],
    others: Sequence[str] = (),
    *,
    reads: Kinds | None = None,
    writes: Kinds | None = None,
    looks_up: bool = False,
    metadata: Sequence[tuple[str, DataType]] = (),
    check: Kinds | None = None,
) -> Connector:
    return Connector(
        name=name,
        options=_options(required, others),
        source=None if reads is None else _refuse,
        sink=None if writes is None else _refuse,
        lookup=_refuse if looks_up else None,
        changelog=reads,
        accepts=writes,
        metadata=tuple(Field(key, type) for key, type in metadata),
        check=None if check is None else lambda options, schema: check(options),
    )


_FORMAT_OPTIONS = [f"{side}{name}.*" for side in ("", "key.", "value.") for name in _FORMATS]
_KAFKA = [
    "properties.*", "key.format", "key.fields", "key.fields-prefix", "value.format",
    "value.fields-include", "scan.*", "sink.*", *_FORMAT_OPTIONS,
]  # fmt: skip
_KAFKA_METADATA = (
    ("topic", STRING.not_null),
    ("partition", INT.not_null),
    ("headers", map_of(STRING, BYTES).not_null),
    ("leader-epoch", INT),
    ("offset", BIGINT.not_null),
    ("timestamp", timestamp_ltz(3).not_null),
    ("timestamp-type", STRING.not_null),
)
_CDC = [
    "port", "server-time-zone", "scan.*", "debezium.*", "connect.*", "connection.*", "heartbeat.*",
    "chunk-key.*", "chunk-meta.*", "split-key.*", "jdbc.properties.*", "use.*", "include-*",
]  # fmt: skip
_CDC_METADATA = (
    ("table_name", STRING.not_null),
    ("schema_name", STRING.not_null),
    ("database_name", STRING.not_null),
    ("op_ts", timestamp_ltz(3).not_null),
    ("row_kind", STRING.not_null),
)
_DATABASE = ["hostname", "username", "password", "database-name", "table-name"]
_SEARCH = [
    "username", "password", "document-type", "document-id.*", "failure-handler", "sink.*",
    "connection.*", "socket.timeout", "format", "json.*", "allow-insecure",
]  # fmt: skip


def _cdc(name: str, required: Sequence[str], others: Sequence[str] = ()) -> Connector:
    """A connector that reads the log of a database."""
    return _absent(name, required, [*_CDC, *others], reads=_always(ALL), metadata=_CDC_METADATA)


def _search(name: str) -> Connector:
    return _absent(name, ["hosts", "index"], _SEARCH, writes=_always(UPSERT))


def _postgres(options: Options) -> frozenset[ChangeKind]:
    return MODES[choice(options, "changelog-mode", ALL, [ALL, UPSERT])]


def _mongodb(options: Options) -> frozenset[ChangeKind]:
    return MODES[ALL if boolean(options, "scan.full-changelog") else UPSERT]


ABSENT: dict[str, Connector] = {
    connector.name: connector
    for connector in (
        _absent(
            "kafka",
            ["properties.bootstrap.servers"],
            ["topic", "topic-pattern", "format", *_KAFKA],
            reads=_of_format,
            writes=_of_format,
            metadata=_KAFKA_METADATA,
            check=_of_format,
        ),
        _absent(
            "upsert-kafka",
            ["topic", "properties.bootstrap.servers", "key.format", "value.format"],
            _KAFKA,
            reads=_always(UPSERT),
            writes=_always(UPSERT),
            metadata=_KAFKA_METADATA,
            check=_of_format,
        ),
        _absent(
            "jdbc",
            ["url", "table-name"],
            [
                "driver", "compatible-mode", "username", "password", "connection.*", "scan.*",
                "lookup.*", "sink.*", "properties.*", "filter.*",
            ],
            reads=_always(INSERT_ONLY),
            writes=_always(UPSERT),
            looks_up=True,
        ),
        _absent(
            "hbase-2.2",
            ["table-name", "zookeeper.quorum"],
            ["zookeeper.znode.parent", "null-string-literal", "lookup.*", "sink.*", "properties.*"],
            reads=_always(INSERT_ONLY),
            writes=_always(UPSERT),
            looks_up=True,
        ),
        _absent(
            "mongodb",
            ["uri", "database", "collection"],
            ["scan.*", "lookup.*", "sink.*", "filter.*"],
            reads=_always(INSERT_ONLY),
            writes=_always(UPSERT),
            looks_up=True,
        ),
        _search("elasticsearch-6"),
        _search("elasticsearch-7"),
        _search("elasticsearch-8"),
        _search("opensearch"),
        _cdc("mysql-cdc", _DATABASE, ["server-id", "parse.*"]),
        _absent(
            "postgres-cdc",
            [*_DATABASE, "schema-name", "slot.name"],
            [*_CDC, "decoding.plugin.name", "changelog-mode"],
            reads=_postgres,
            metadata=_CDC_METADATA,
            check=_postgres,
        ),
        _cdc("oracle-cdc", [*_DATABASE, "schema-name"], ["url"]),
        _cdc("sqlserver-cdc", _DATABASE),
        _absent(
            "mongodb-cdc",
            ["hosts"],
            [
                "scheme", "username", "password", "database", "collection", "batch.size",
                "poll.*", "initial.*", *_CDC,
            ],
            reads=_mongodb,
            metadata=_CDC_METADATA,
            check=_mongodb,
        ),
    )
}  # fmt: skip
"""By name."""
