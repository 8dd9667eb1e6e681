"""A session cluster on this machine, as the scripts of Flink's package start it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from sameriver.flink.jvm import flink_home

_SETTINGS = {
    "jobmanager.rpc.address": "localhost",
    "jobmanager.memory.process.size": "1024m",
    "taskmanager.memory.process.size": "1280m",
    "taskmanager.numberOfTaskSlots": "6",
    "web.refresh-interval": "100",
    "metrics.fetcher.update-interval": "500",
}
_STARTS_WITHIN = 45
"""Seconds; a task manager gives up early on a busy machine, so another one is started then."""
_TIMES = 4


@contextmanager
def session_cluster(folder: Path) -> Iterator[str]:
    """Starts a cluster that keeps all it writes in ``folder``; its REST address."""
    home = flink_home()
    shutil.copytree(home / "conf", folder / "conf")
    rest, rpc = _free_ports(2)
    settings = {
        **_SETTINGS,
        "rest.port": str(rest),
        "jobmanager.rpc.port": str(rpc),
        "io.tmp.dirs": str(folder / "tmp"),
    }
    config = folder / "conf" / "config.yaml"
    (options,) = re.findall(r"all: (--add-.*)", config.read_text(encoding="utf-8"))
    settings["env.java.opts.all"] = f"{options} -XX:TieredStopAtLevel=1"
    lines = [f"{key}: {value}" for key, value in settings.items()]
    config.write_text("\n".join(lines), encoding="utf-8")
    for name in ("log", "pid", "tmp"):
        (folder / name).mkdir()
    environment = {
        **os.environ,
        "FLINK_CONF_DIR": str(folder / "conf"),
        "FLINK_LOG_DIR": str(folder / "log"),
        "FLINK_PID_DIR": str(folder / "pid"),
    }

    def script(name: str, *words: str) -> None:
        command = [str(home / "bin" / name), *words]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

    script("start-cluster.sh")
    try:
        for _ in range(_TIMES):
            if _has_slots(f"http://localhost:{rest}/overview"):
                break
            script("taskmanager.sh", "start")
        yield f"localhost:{rest}"
    finally:
        script("stop-cluster.sh")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("localhost", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _has_slots(overview: str) -> bool:
    """Waits for a task manager."""
    deadline = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < deadline:
        try:
            with urlopen(overview) as answer:
                if json.load(answer)["slots-available"]:
                    return True
        except URLError:
            pass  # it does not answer yet
        time.sleep(0.2)
    return False
