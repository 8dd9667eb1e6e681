"""The form of manifests as JSON Schema: ``docs/reference/savepoint-format.schema.json``."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from sameriver.checkpoint.manifest import CHECKPOINT, FORMAT, SAVEPOINT, Manifest

Schema = dict[str, Any]

_NAMES = {str: "string", int: "integer", bool: "boolean", dict: "object", type(None): "null"}


def manifest_schema() -> Schema:
    """The schema of manifests of this format."""
    definitions: dict[str, Schema] = {}
    whole = _object(Manifest, definitions)
    properties = {
        "format": {"const": FORMAT},
        **whole["properties"],
        "kind": {"enum": [CHECKPOINT, SAVEPOINT]},
        "checksum": {"type": "string"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Manifest of sameriver's state, format {FORMAT}",
        **whole,
        "properties": properties,
        "required": list(properties),
        "$defs": definitions,
    }


def _object(kind: type, definitions: dict[str, Schema]) -> Schema:
    hints = typing.get_type_hints(kind)
    return {
        "type": "object",
        "properties": {name: _schema(hint, definitions) for name, hint in hints.items()},
        "required": list(hints),
        "additionalProperties": False,
    }


def _schema(hint: Any, definitions: dict[str, Schema]) -> Schema:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(arg, definitions) for arg in args]}
    if origin is tuple:
        return {"type": "array", "items": _schema(args[0], definitions)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}
            definitions[hint.__name__] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    return {"type": _NAMES[origin or hint]}
