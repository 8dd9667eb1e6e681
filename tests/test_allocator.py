"""Memory that is kept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NAME = "_RJEM_MALLOC_CONF"
SAID = (NAME, "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def printed(code: str, given: dict[str, str]) -> str:
    """What Python prints, of what counts in the environment only what is given."""
    environment = {name: value for name, value in os.environ.items() if name not in SAID} | given
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, "dirty_decay_ms:10000"), ("dirty_decay_ms:5", "dirty_decay_ms:5")],
)
def test_it_is_said_before_polars_is_loaded(given: str | None, expected: str) -> None:
    """What the user says of it counts."""
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
    assert printed(code, {} if given is None else {NAME: given}) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
@pytest.mark.parametrize(
    ("given", "kept"),
    [({}, True), ({"MALLOC_TRIM_THRESHOLD_": "1000"}, False),
     ({"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1000"}, False)],
)  # fmt: skip
def test_memory_that_numpy_gave_back_stays(given: dict[str, str], kept: bool) -> None:
    """What the user says of it counts."""
    code = (
        "import sameriver, numpy, resource\n"
        "for _ in range(2):\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    numpy.ones(20 << 20, numpy.uint8)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n"
    )
    assert (int(printed(code, given)) < 8) == kept
