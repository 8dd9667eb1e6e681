"""The options that shape a physical plan, read once."""

from __future__ import annotations

from datetime import timedelta

from sameriver.common.config import Config
from sameriver.common.dataclass import dataclass
from sameriver.common.errors import UserError, place_of
from sameriver.common.time import parse_duration

_EMIT = "table.exec.emit."
_MINI_BATCH = "table.exec.mini-batch.enabled"
_STRATEGY = "scan.watermark.emit.strategy"
_MATERIALIZE = "table.exec.sink.upsert-materialize"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``early_fire``, ``late_fire``: delays in ms, None: off; ``lateness`` in ms.

    ``bundled``: folded because mini-batch was asked for, not because that is the default.
    ``duplicates``: sources may tell a change twice. ``materialize``: AUTO, FORCE or NONE.
    """

    folded: bool
    bundled: bool
    ttl: timedelta | None
    early_fire: int | None
    late_fire: int | None
    lateness: int
    strategy: str
    duplicates: bool
    materialize: str

    @classmethod
    def of(cls, config: Config) -> Settings:
        """Reads the configuration.

        Raises:
            UserError: BAD_OPTION, BAD_DURATION.
        """
        late_fire = _fire(config, "late-fire")
        lateness = milliseconds(config.duration(f"{_EMIT}allow-lateness"))
        if late_fire is not None and lateness == 0:
            raise UserError(
                "BAD_OPTION",
                f"'{_EMIT}late-fire.enabled' is on, but no window is kept after its end",
                hint=f"Set '{_EMIT}allow-lateness' to how long, such as '1 h'.",
                position=place_of(config[f"{_EMIT}late-fire.enabled"]),
            )
        return cls(
            folded=config.boolean(_MINI_BATCH),
            bundled=config.boolean(_MINI_BATCH) and _MINI_BATCH in set(config),
            ttl=time_to_live(config["table.exec.state.ttl"]),
            early_fire=_fire(config, "early-fire"),
            late_fire=late_fire,
            lateness=lateness,
            strategy=config[_STRATEGY],
            duplicates=config.boolean("table.exec.source.cdc-events-duplicate"),
            materialize=_materialize(config),
        )

    def on_event(self, options: dict[str, str]) -> bool:
        """Whether a table of these options moves its watermark after each row.

        Raises:
            UserError: BAD_OPTION.
        """
        strategy = options.get(_STRATEGY, self.strategy)
        if strategy not in ("on-periodic", "on-event"):
            raise UserError(
                "BAD_OPTION",
                f"option '{_STRATEGY}' is '{strategy}'",
                hint="Write 'on-periodic' (the default) or 'on-event'.",
                position=place_of(strategy),
            )
        return strategy == "on-event"


def _materialize(config: Config) -> str:
    value = config[_MATERIALIZE].strip().upper()
    if value not in ("AUTO", "FORCE", "NONE"):
        raise UserError(
            "BAD_OPTION",
            f"option '{_MATERIALIZE}' is '{config[_MATERIALIZE]}'",
            hint="Write AUTO (the default), FORCE or NONE.",
            position=place_of(config[_MATERIALIZE]),
        )
    return value


def _fire(config: Config, kind: str) -> int | None:
    if not config.boolean(f"{_EMIT}{kind}.enabled"):
        return None
    return milliseconds(config.duration(f"{_EMIT}{kind}.delay"))


def time_to_live(text: str) -> timedelta | None:
    """How long untouched state lives; 0 is for ever, a bare number is in ms.

    Raises:
        UserError: BAD_DURATION.
    """
    return parse_duration(text) or None


def milliseconds(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
