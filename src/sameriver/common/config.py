"""Options: Flink's keys with Flink's defaults, and ours under ``sameriver.``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError, nearest, place_of
from sameriver.common.time import parse_duration
from sameriver.common.zones import zone_named


@dataclass(frozen=True, slots=True)
class Option:
    """An option that sameriver reads; ``kind``: boolean, integer, duration, zone or text."""

    key: str
    default: str
    text: str
    kind: str = "text"


OPTIONS: dict[str, Option] = {
    option.key: option
    for option in (
        Option(
            "table.local-time-zone",
            "UTC",
            "zone of TIMESTAMP_LTZ values and of windows: `Europe/Berlin`, `GMT-08:00`",
            "zone",
        ),
        Option(
            "table.exec.state.ttl",
            "36 h",
            "how long an untouched row of state lives; 0: ever",
            "duration",
        ),
        Option(
            "table.exec.mini-batch.enabled", "true", "one -U/+U a key and batch, or each", "boolean"
        ),
        Option(
            "table.exec.emit.early-fire.enabled",
            "false",
            "legacy group windows fire early",
            "boolean",
        ),
        Option("table.exec.emit.early-fire.delay", "0 ms", "period of early firing", "duration"),
        Option(
            "table.exec.emit.late-fire.enabled",
            "false",
            "legacy group windows fire again",
            "boolean",
        ),
        Option("table.exec.emit.late-fire.delay", "0 ms", "period of late firing", "duration"),
        Option(
            "table.exec.emit.allow-lateness", "0 ms", "how long a fired window is kept", "duration"
        ),
        Option(
            "table.optimizer.state-compatibility.ignore-filter",
            "false",
            "a changed filter doesn't hinder going on with state",
            "boolean",
        ),
        Option(
            "table.optimizer.state-compatibility.ignore-sink",
            "true",
            "sinks count as stateless when state is compared",
            "boolean",
        ),
        Option(
            "sameriver.state-compatibility.trusted-functions",
            "",
            "functions in Python, apart by ;, whose change leaves state valid",
        ),
        Option("parallelism.default", "1", "shards of keyed operators", "integer"),
        Option("pipeline.name", "", "name of the job"),
        Option("sameriver.batch.rows", "262144", "most rows in a batch", "integer"),
        Option("sameriver.batch.latency", "20 ms", "longest wait for a batch to fill", "duration"),
        Option("scan.watermark.emit.strategy", "on-periodic", "after a batch, or after each row"),
        Option(
            "pipeline.auto-watermark-interval",
            "0 ms",
            "on-event: smallest step of a watermark",
            "duration",
        ),
        Option(
            "table.exec.source.cdc-events-duplicate",
            "false",
            "sources with a primary key may tell a change twice",
            "boolean",
        ),
        Option(
            "table.exec.sink.not-null-enforcer",
            "ERROR",
            "NULL in a NOT NULL column of a sink: ERROR, or DROP the row",
        ),
        Option(
            "table.exec.sink.upsert-materialize",
            "AUTO",
            "AUTO, FORCE or NONE: rows come under the primary key of a sink that takes upserts",
        ),
        Option(
            "execution.checkpointing.interval",
            "30 s",
            "time between checkpoints, with a state folder; 0: at the end only",
            "duration",
        ),
        Option("execution.checkpointing.num-retained", "1", "checkpoints that are kept", "integer"),
        Option(
            "table.exec.source.idle-timeout",
            "0 ms",
            "a silent source stops holding back; 0: no",
            "duration",
        ),
    )
}

_PREFIXES = (
    "table.",
    "execution.",
    "pipeline.",
    "parallelism.",
    "state.",
    "sql-client.",
    "restart-strategy",
    "taskmanager.",
    "jobmanager.",
    "rest.",
    "metrics.",
    "web.",
    "python.",
    "scan.",
    "client.",
    "cluster.",
    "fs.",
    "high-availability",
    "akka.",
    "pekko.",
    "yarn.",
    "kubernetes.",
    "env.",
)


_FIXED = {
    "execution.runtime-mode": ("STREAMING",),
    "table.exec.legacy-cast-behaviour": ("DISABLED",),
    "table.exec.sink.not-null-enforcer": ("ERROR", "DROP"),
    "table.exec.sink.type-length-enforcer": ("IGNORE", "TRIM_PAD"),
    "table.exec.sink.require-on-conflict": ("FALSE",),
    "table.sql-dialect": ("DEFAULT",),
}
"""Keys of Flink that change results; what sameriver does is the only value they take."""
_OLDER = {"state.checkpoints.num-retained": "execution.checkpointing.num-retained"}
"""Names that Flink takes for an option besides its own."""
_SURELY_MEANT = 0.93
"""How like a known key another one is that can only be a slip of it."""


class Config(Mapping[str, str]):
    """Options as set; reading an unset one gives its default."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, key: str) -> str:
        key = _OLDER.get(key, key)
        if key in self._values:
            return self._values[key]
        return OPTIONS[key].default

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def with_option(self, key: str, value: str) -> Config:
        """A copy with one more option.

        Raises:
            UserError: UNKNOWN_OPTION for a key that neither Flink nor sameriver can have,
                BAD_OPTION or BAD_DURATION for a value that is not of the option's kind.
        """
        key = _OLDER.get(key, key)
        check_key(key)
        config = Config({**self._values, key: value})
        config._check_value(key)
        return config

    def _check_value(self, key: str) -> None:
        if key in _FIXED and self[key].strip().upper() not in _FIXED[key]:
            raise UserError(
                "UNSUPPORTED",
                f"option '{key}' can't be '{self[key]}'",
                hint=f"Leave it out, or write {_FIXED[key][0]}.",
                position=place_of(self[key]),
            )
        match OPTIONS[key].kind if key in OPTIONS else "text":
            case "boolean":
                self.boolean(key)
            case "integer":
                self.integer(key)
            case "duration":
                self.duration(key)
            case "zone":
                _ = self.zone

    def without(self, key: str | None = None) -> Config:
        """A copy with the option back at its default; None: all of them."""
        left = key and _OLDER.get(key, key)
        kept = {} if key is None else {k: v for k, v in self._values.items() if k != left}
        return Config(kept)

    def boolean(self, key: str) -> bool:
        value = self[key].strip().lower()
        if value not in ("true", "false"):
            raise self._wrong(key, "true or false")
        return value == "true"

    def integer(self, key: str) -> int:
        try:
            value = int(self[key])
        except ValueError:
            value = 0
        if value < 1:
            raise self._wrong(key, "a whole number above 0")
        return value

    def duration(self, key: str) -> timedelta:
        return parse_duration(self[key])

    @property
    def zone(self) -> ZoneInfo:
        key = "table.local-time-zone"
        name = "UTC" if self[key] == "default" else self[key]
        try:
            return zone_named(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise self._wrong(
                key, "a zone such as 'UTC', 'America/New_York' or 'GMT-08:00'"
            ) from error

    def _wrong(self, key: str, expected: str) -> UserError:
        value = self[key]
        return UserError(
            "BAD_OPTION",
            f"option '{key}' is '{value}'",
            hint=f"Write {expected}.",
            position=place_of(value),
        )


def check_key(key: str) -> None:
    """Refuses keys that are certainly mistyped.

    Raises:
        UserError: UNKNOWN_OPTION.
    """
    if key in OPTIONS or key in _OLDER:
        return
    meant = difflib.get_close_matches(key, OPTIONS, n=1, cutoff=_SURELY_MEANT)
    if key.startswith(_PREFIXES) and not meant:
        return
    raise UserError(
        "UNKNOWN_OPTION",
        f"there is no option '{key}'",
        hint=nearest(key, OPTIONS),
        position=place_of(key),
    )
