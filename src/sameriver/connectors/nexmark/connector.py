"""The entry of the registry."""

from __future__ import annotations

from sameriver.common.schema import Schema
from sameriver.connectors.connector import Connector
from sameriver.connectors.nexmark.columns import check_columns
from sameriver.connectors.nexmark.settings import OPTIONS, Settings
from sameriver.connectors.nexmark.source import NexmarkSource
from sameriver.connectors.options import Options


def _check(options: Options, schema: Schema) -> None:
    Settings.of(options)
    check_columns(schema)


NEXMARK = Connector(name="nexmark", options=OPTIONS, source=NexmarkSource, check=_check)
