"""What the page of results says about how it came about."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.nexmark.engines import FLINK_HEAP, Engine

_PLACES = ("--flink", "--folder", "--jars", "--write")


def about(options: argparse.Namespace, engines: Sequence[Engine]) -> dict[str, str]:
    """The command, the machine, versions, options, and what the columns of figures are."""
    told = {
        "Command": f"`{command(sys.argv[1:])}`",
        "Machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()}; "
        f"Python {platform.python_version()}",
        "Versions": ", ".join(_versions(options.flink)),
        "Events": f"{options.events:,} in one file",
        "Jobs": f"median of {options.repeat}, each right after one that is not counted",
        "Flink's Java heap": FLINK_HEAP,
    }
    for engine in engines:
        said = [f"`{key}` = `{value}`" for key, value in engine.options.items()]
        said += [f"`{jar.name}`" for jar in engine.jars]
        told[f"Options of {engine.name}"] = ", ".join(said) or "defaults"
    told["Events/s"] = "in thousands, by the engine's own clock; sink `blackhole`"
    told["Whole process"] = "from the start of a new process to the end of its first job"
    told["Memory"] = "peak of the process"
    told["Memory"] += ", in the queries up to this one" if options.quick else ""
    return told


def command(given: Sequence[str]) -> str:
    """The command as it can be given on any machine: without paths."""
    words, kept = iter(given), ["python -m benchmarks.nexmark.run"]
    for word in words:
        name, glued, _ = word.partition("=")
        if name not in _PLACES:
            kept.append(word)
        elif not glued:
            next(words, None)
    return " ".join(kept)


def _versions(flink: Path) -> list[str]:
    asked = "from importlib.metadata import version; print(version('apache-flink'))"
    ours = [f"{name} {version(name)}" for name in ("sameriver", "polars", "numba", "duckdb")]
    java = _said(["java", "-version"]).partition("\n")[0]
    return [*ours, f"apache-flink {_said([str(flink), '-c', asked])}", java or "no Java"]


def _said(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return (done.stdout or done.stderr).strip()


def _processor() -> str:
    """The name of the processor where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
