"""What a Java stack trace says went wrong."""

from __future__ import annotations

_CAUSED = "Caused by: "
_FRAMES = ("\tat ", "\t... ", "    at ")


def root_cause(trace: str) -> str:
    """The innermost cause of a stack trace in one line: ``StateMigrationException: ...``."""
    causes = [""]
    for line in trace.splitlines():
        if line.startswith(_CAUSED):
            causes.append(line.removeprefix(_CAUSED))
        elif not line.startswith(_FRAMES):
            causes[-1] = f"{causes[-1]} {line.strip()}"
    return _without_package(causes[-1].strip())


def _without_package(cause: str) -> str:
    name, colon, message = cause.partition(": ")
    plain = name.rpartition(".")[2].rpartition("$")[2]
    return f"{plain}{colon}{message}" if " " not in name else cause
