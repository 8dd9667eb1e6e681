"""When memory is given back to the system. A job uses the same memory batch after batch, and to be
given it anew takes longer than most work on it: 0.2 s for each GiB, seconds in a virtual machine
whose host has to find it first.
"""

from __future__ import annotations

import ctypes
import os
import sys

# Polars gives back what was not used for half a second, where ten are usual. It must be said before
# Polars is loaded.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:10000")

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names of glibc's ``mallopt``."""


def _keep() -> None:
    """Has glibc, whose memory NumPy and our own columns use, keep what columns of a batch take.

    By itself it finds out slowly what is too much, and large blocks go back at once. What the user
    says of it counts.
    """
    said = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
    tuned = "glibc.malloc." in os.environ.get("GLIBC_TUNABLES", "")
    if sys.platform != "linux" or tuned or any(name in os.environ for name in said):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, 32 << 20)
        mallopt(_TRIM_THRESHOLD, 128 << 20)


_keep()
