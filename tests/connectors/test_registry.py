from __future__ import annotations

import pytest

from sameriver.common.errors import UserError
from sameriver.connectors.registry import CONNECTORS, accepts, changelog, check_options, connector

FILE = {"connector": "filesystem", "path": "x", "format": "json"}


@pytest.mark.parametrize(
    ("name", "options", "code", "hint"),
    [
        ("kafkaesque", {}, "UNKNOWN_CONNECTOR", "filesystem, datagen, print"),
        ("filesytem", {}, "UNKNOWN_CONNECTOR", "Did you mean 'filesystem'?"),
        ("", {}, "MISSING_OPTION", "filesystem"),
        ("filesystem", {"path": "x", "format": "jsn"}, "UNKNOWN_FORMAT", "Did you mean 'json'?"),
        ("filesystem", {"path": "x"}, "MISSING_OPTION", "'format'"),
        ("filesystem", {"format": "csv"}, "MISSING_OPTION", "'path'"),
        ("filesystem", FILE | {"pth": "y"}, "UNKNOWN_OPTION", "Did you mean 'path'?"),
        ("filesystem", FILE | {"csv.null-literal": "y"}, "UNKNOWN_OPTION", ""),
        ("filesystem", FILE | {"json.ignore-parse-error": "true"}, "UNKNOWN_OPTION",
         "Did you mean 'json.ignore-parse-errors'?"),
        ("filesystem", FILE | {"json.ignore-parse-errors": "yes"}, "BAD_OPTION", "true or false"),
        ("filesystem", FILE | {"json.timestamp-format.standard": "ISO"}, "BAD_OPTION", "ISO-8601"),
        ("filesystem", FILE | {"format": "csv", "csv.field-delimiter": "ab"}, "BAD_OPTION",
         "one ASCII character"),
        ("print", {"standard-eror": "true"}, "UNKNOWN_OPTION", "Did you mean 'standard-error'?"),
        ("datagen", {"rows-per-sec": "1"}, "UNKNOWN_OPTION", "Did you mean 'rows-per-second'?"),
        ("frame", {}, "MISSING_OPTION", "'frame'"),
    ],
)  # fmt: skip
def test_wrong_options(name: str, options: dict[str, str], code: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        check_options(name, options)
    assert caught.value.code == code
    assert hint in caught.value.hint


def test_good_options() -> None:
    check_options("filesystem", FILE | {"scan.watermark.emit.strategy": "on-event"})
    check_options("filesystem", FILE, metadata=["file.path"])


def test_unknown_metadata() -> None:
    with pytest.raises(UserError, match=r"file\.pth") as caught:
        check_options("filesystem", FILE, metadata=["file.pth"])
    assert caught.value.code == "UNKNOWN_METADATA"


@pytest.mark.parametrize("name", CONNECTORS)
def test_names(name: str) -> None:
    assert connector(name).name == name
    assert accepts(name, FILE)
    assert changelog(name, FILE)
