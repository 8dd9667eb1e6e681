"""Loads the ``sameriver`` command: Ctrl-C is quiet from the first moment on.

It stands outside of the package, whose modules take most of a second to load.
"""

import os
import signal
from types import FrameType

_asked = signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _leave(_: int, __: FrameType | None) -> None:
    os._exit(130)


# Some of what is loaded takes any exception for a module that isn't there, so that an interrupt
# would become an error of another kind. Nothing is open yet: the process can end at once.
if _asked:
    signal.signal(signal.SIGINT, _leave)

from sameriver.cli import main  # noqa: E402

if _asked:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["main"]
