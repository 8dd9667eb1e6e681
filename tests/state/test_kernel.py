"""Kernels are loaded from where they were kept."""

import subprocess
import sys

_JOB = """
import sys
from sameriver import Session

rows = Session().sql("SELECT k, COUNT(*) AS n FROM (VALUES (1), (2), (1)) AS t (k) GROUP BY k")
assert sorted(rows.to_polars().rows()) == [(1, 2), (2, 1)]
print("numba.np.linalg" in sys.modules)
"""


def test_kept_kernels_load_without_the_compiler() -> None:
    def compiler_needed() -> str:
        command = [sys.executable, "-c", _JOB]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    compiler_needed()  # keeps them if this is the first run
    assert compiler_needed() == "False"
