"""Apache Flink behind the requests of ``serving.py``: ``python -m benchmarks.nexmark.serve_flink``.

Runs with a Python of its own, which needs ``apache-flink`` and nothing else.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.nexmark.serving import serve
from pyflink.table import EnvironmentSettings, TableEnvironment


class Flink:
    """A local cluster that lives as long as a job does, in a Java process that goes on."""

    def setup(self, options: dict[str, str], statements: list[str]) -> None:
        self.environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        for key, value in options.items():
            self.environment.get_config().set(key, value)
        for statement in statements:
            self.environment.execute_sql(statement)

    def run(self, insert: str) -> float:
        """Flink's own seconds from the start of the job to FINISHED."""
        job = self.environment.execute_sql(insert).get_job_client()
        return job.get_job_execution_result().result().get_net_runtime() / 1000

    def peak(self) -> int:
        """Most memory of the Java process so far, in bytes, resident."""
        parents, peaks = {}, {}
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            except OSError:
                continue
            parents[int(lines["Pid"])] = int(lines["PPid"])
            if lines["Name"].strip() == "java":
                peaks[int(lines["Pid"])] = int(lines.get("VmHWM", "0 kB").split()[0]) * 1024
        ours = [peak for process, peak in peaks.items() if _is_below(process, parents)]
        return max(ours)


def _is_below(process: int, parents: dict[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == os.getpid():
            return True
    return False


if __name__ == "__main__":
    serve(Flink())
