"""When a file of a sink is finished and the next one begun."""

from __future__ import annotations

from sameriver.common.dataclass import dataclass
from sameriver.connectors.formats.format import Writer
from sameriver.connectors.options import Options, milliseconds, size

ROLLING = "sink.rolling-policy."


@dataclass(slots=True, kw_only=True)
class Part:
    """A file being written, under a hidden name.

    Attributes:
        name: the final one, relative to the folder of the sink.
        opened, touched: when it was begun and last written, in ms.
        synced: all of it is safe on disk.
        prepared: a checkpoint may know it.
    """

    name: str
    writer: Writer
    opened: int
    touched: int
    synced: bool = False
    prepared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """Flink's rolling policy; times in ms."""

    bytes: int
    age: int
    idle: int

    @staticmethod
    def of(options: Options) -> Rolling:
        """The policy that the options give.

        Raises:
            UserError: BAD_OPTION, BAD_DURATION.
        """
        # Looked at on each write and checkpoint, which is more often than any interval.
        milliseconds(options, f"{ROLLING}check-interval", "1 min")
        return Rolling(
            bytes=size(options, f"{ROLLING}file-size", "128 mb"),
            age=milliseconds(options, f"{ROLLING}rollover-interval", "30 min"),
            idle=milliseconds(options, f"{ROLLING}inactivity-interval", "30 min"),
        )

    def is_due(self, part: Part, now: int) -> bool:
        return (
            part.writer.size >= self.bytes
            or now - part.opened >= self.age
            or now - part.touched >= self.idle
        )
