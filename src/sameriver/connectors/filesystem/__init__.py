"""The ``filesystem`` connector: files of rows, read and written."""

from sameriver.connectors.filesystem.connector import FILESYSTEM

__all__ = ["FILESYSTEM"]
