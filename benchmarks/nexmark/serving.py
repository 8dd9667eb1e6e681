"""What the processes that serve an engine share. Nothing but the standard library is imported."""

from __future__ import annotations

import json
import os
import resource
import sys


def serve(engine: object) -> None:
    """Answers requests, a line of JSON each, by the methods of ``engine`` until input ends.

    ``{"do": "run", "insert": "..."}`` is answered with ``{"result": ...}`` or ``{"error": "..."}``.
    """
    # What the engine itself prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"result": getattr(engine, request.pop("do"))(**request)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:20_000]}
        print(json.dumps(answer), file=answers, flush=True)


def peak() -> int:
    """Most memory of this process so far, in bytes, resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
