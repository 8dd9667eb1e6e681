"""The command line: one file a command."""

from sameriver.cli.app import main

__all__ = ["main"]
