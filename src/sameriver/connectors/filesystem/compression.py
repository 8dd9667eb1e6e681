"""Whether part files are compressed."""

from __future__ import annotations

from sameriver.common.errors import UserError, place_of
from sameriver.connectors.connector import ConnectorOption
from sameriver.connectors.formats.registry import format_of
from sameriver.connectors.options import Options, choice

COMPRESSION = ConnectorOption("sink.compression", "none, gz or zst, for text formats", "none")


def suffix(options: Options) -> str:
    """What names of part files end in, such as ``.csv.gz``.

    Raises:
        UserError: BAD_OPTION; UNSUPPORTED for a format that compresses by itself.
    """
    chosen = choice(options, COMPRESSION.key, "none", ("none", "gz", "zst"))
    format = format_of(options["format"])
    if chosen == "none":
        return f".{format.name}"
    if format.text is None:
        raise UserError(
            "UNSUPPORTED",
            f"option '{COMPRESSION.key}' is for text, and '{format.name}' compresses by itself",
            hint=f"Set '{format.name}.compression'.",
            position=place_of(options[COMPRESSION.key]),
        )
    return f".{format.name}.{chosen}"
