"""Which files of a folder are read, and when it is looked at again."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from sameriver.connectors.options import Options, bad_option, milliseconds

INTERVAL = "source.monitor-interval"
PATTERN = "source.path.regex-pattern"


@dataclass(slots=True, kw_only=True)
class Watch:
    """Looks at a folder again and again, if an interval is given.

    Attributes:
        seconds: between two looks; None: there is one look only.
        pattern: absolute paths to read must match it as a whole, if given.
    """

    seconds: float | None
    pattern: re.Pattern[str] | None
    _last: float = field(default_factory=time.monotonic)
    _seen: dict[Path, tuple[int, int]] = field(default_factory=dict)

    @staticmethod
    def of(options: Options) -> Watch:
        """What the options ask for.

        Raises:
            UserError: BAD_OPTION, BAD_DURATION.
        """
        interval = milliseconds(options, INTERVAL, "1 ms")
        if interval < 1:
            raise bad_option(INTERVAL, options[INTERVAL], "a duration of at least '1 ms'")
        return Watch(
            seconds=interval / 1000 if INTERVAL in options else None, pattern=_pattern(options)
        )

    @property
    def on(self) -> bool:
        return self.seconds is not None

    def is_due(self) -> bool:
        """Whether it is time to look again; if so, the next time is set."""
        now = time.monotonic()
        if self.seconds is None or now - self._last < self.seconds:
            return False
        self._last = now
        return True

    def wanted(self, path: Path) -> bool:
        return self.pattern is None or self.pattern.fullmatch(str(path)) is not None

    def altered(self, path: Path) -> bool:
        """Whether a file is new or another than at the last look.

        Raises:
            FileNotFoundError: it is gone.
        """
        if not self.on:
            return True
        stat = path.stat()
        now = stat.st_size, stat.st_mtime_ns
        if self._seen.get(path) == now:
            return False
        self._seen[path] = now
        return True


def _pattern(options: Options) -> re.Pattern[str] | None:
    text = options.get(PATTERN)
    try:
        return None if text is None else re.compile(text)
    except re.error:
        raise bad_option(PATTERN, options[PATTERN], "a regular expression") from None
