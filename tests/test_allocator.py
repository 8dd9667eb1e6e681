"""Memory that Polars keeps."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NAME = "_RJEM_MALLOC_CONF"


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, "dirty_decay_ms:10000"), ("dirty_decay_ms:5", "dirty_decay_ms:5")],
)
def test_it_is_said_before_polars_is_loaded(given: str | None, expected: str) -> None:
    """What the user says of it counts."""
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    environment |= {} if given is None else {NAME: given}
    code = (
        "import builtins, os, sys\n"
        "real, seen = builtins.__import__, []\n"
        "def watched(name, *args, **more):\n"
        "    if name == 'polars' and not seen:\n"
        f"        seen.append(os.environ.get('{NAME}'))\n"
        "    return real(name, *args, **more)\n"
        "builtins.__import__ = watched\n"
        "import sameriver\n"
        "print(seen[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected
