"""Loads the ``sameriver`` command: Ctrl-C is quiet from the first moment on.

It stands outside of the package, whose modules take most of a second to load.
"""

import sys

try:
    from sameriver.cli import main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["main"]
