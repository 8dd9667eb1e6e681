"""When Polars gives memory back to the system; it must be said before Polars is loaded.

Polars has its allocator give back what was not used for half a second, where ten are usual. A job
uses the same memory batch after batch, and to be given it anew takes longer than most work on it:
0.2 s for each GiB, seconds in a virtual machine whose host has to find it first.
"""

from __future__ import annotations

import os

os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:10000")
