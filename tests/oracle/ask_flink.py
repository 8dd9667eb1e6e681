"""Asks Apache Flink about the questions beside this file; ``make oracle`` runs it.

``<family>.txt`` holds questions, ``<family>.jsonl`` gets Flink's answers; ``questions.py`` says
what they look like. Only questions without an answer are asked, unless ``--all`` is given: then
all are, of the families named if any, and each answer that is another than before is shown.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment

from .questions import HERE, Answer, Question, families, questions, stored, views, write

BATCH = 40
"""Expressions of one Flink job."""
WINDOW = 8
"""Calls over windows of one: Flink takes minutes to plan many."""
PORTION = 200
"""Questions to one Flink."""


class Flink:
    """A session of Flink in streaming mode that knows the table of edge values."""

    def __init__(self, zone: str, folder: Path) -> None:
        self.session: Any = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        config = self.session.get_config()
        config.set("parallelism.default", "1")
        config.set("table.local-time-zone", zone)
        config.set("restart-strategy.type", "none")
        (folder / "edge.jsonl").write_bytes((HERE / "edge.jsonl").read_bytes())
        declared = (HERE / "edge.sql").read_text(encoding="utf-8").strip()
        options = f"'connector' = 'filesystem', 'path' = '{folder / 'edge.jsonl'}'"
        self.session.execute_sql(f"{declared} WITH ({options}, 'format' = 'json')")
        for view in views():
            self.session.execute_sql(view)

    def types(self, alike: list[Question]) -> list[str | None]:
        """Types of expressions as Flink prints them; None of what is no valid SQL."""
        text = alike[0].query([question.expression for question in alike])
        try:
            table = self.session._j_tenv.sqlQuery(text)
        except Exception as error:
            if len(alike) > 1:
                middle = len(alike) // 2
                return [*self.types(alike[:middle]), *self.types(alike[middle:])]
            _no("refused", alike[0], error)
            return [None]
        columns = table.getResolvedSchema().getColumnDataTypes()
        return [str(columns.get(n).getLogicalType()) for n in range(len(alike))]

    def values(self, batch: list[tuple[Question, str]]) -> list[list[str | None]] | str:
        """Values of each expression, row by row; or ``refused`` or ``fails``."""
        stage = "refused"
        try:
            shown = [_shown(question.expression, type) for question, type in batch]
            result = self.session._j_tenv.executeSql(batch[0][0].query(shown))
            stage = "fails"
            rows = list(_rows(result.collect(), batch[0][0]))
        except Exception as error:
            if len(batch) == 1:
                _no(stage, batch[0][0], error)
            return stage
        return [list(column) for column in zip(*rows, strict=True)][: len(batch)]


def _no(stage: str, question: Question, error: Exception) -> None:
    print(f"  {stage}: {question.expression} - {_cause(error)}", flush=True)


def _cause(error: Exception) -> str:
    causes = [line for line in str(error).splitlines() if "Caused by:" in line]
    return (causes[-1] if causes else str(error)[:300]).strip()


def _rows(found: Any, question: Question) -> Iterator[list[str | None]]:
    """Every row; or what stands in the end, by key."""
    final: dict[str, list[str | None]] = {}
    while found.hasNext():
        row = found.next()
        values = [row.getField(position) for position in range(row.getArity())]
        shown = [value.hex() if isinstance(value, bytes) else value for value in values]
        if not question.final:
            yield shown
            continue
        key = str(shown[-1] or "") if question.by else ""
        final.pop(key, None)
        if str(row.getKind().shortString()) in ("+I", "+U"):
            final[key] = shown
    for key in sorted(final):
        yield final[key]


def _shown(expression: str, type: str) -> str:
    """Text and binary values come as they are, all others as text."""
    plain = type.startswith(("BYTES", "BINARY", "VARBINARY", "CHAR", "VARCHAR", "STRING"))
    return expression if plain else f"CAST({expression} AS STRING)"


def ask(flink: Flink, batch: list[tuple[Question, str]]) -> Iterator[Answer]:
    """Answers; a batch that fails is halved until the one that fails is alone."""
    values = flink.values(batch)
    if not isinstance(values, str):
        for (question, type), column in zip(batch, values, strict=True):
            yield Answer(question, type, tuple(column))
    elif len(batch) == 1:
        yield Answer(batch[0][0], values, ())
    else:
        middle = len(batch) // 2
        yield from ask(flink, batch[:middle])
        yield from ask(flink, batch[middle:])


def answer(flink: Flink, asked: dict[Question, bool]) -> Iterator[Answer]:
    """Answers to questions of one zone, in no order."""
    kinds: dict[tuple[object, ...], list[Question]] = {}
    for question, alone in asked.items():
        of = (
            question.aggregate,
            question.source,
            question.by,
            question.reads_table,
            _window(question),
        )
        kinds.setdefault((*of, alone), []).append(question)
    for alike in kinds.values():
        size = 1 if asked[alike[0]] else WINDOW if _window(alike[0]) else BATCH
        for start in range(0, len(alike), size):
            yield from _answered(flink, alike[start : start + size])


def _window(question: Question) -> str:
    """What follows OVER; calls over different windows don't go together in one query."""
    return question.expression.partition(" OVER ")[2]


def _answered(flink: Flink, alike: list[Question]) -> Iterator[Answer]:
    types = flink.types(alike)
    typed = [(q, type) for q, type in zip(alike, types, strict=True) if type is not None]
    for question, type in zip(alike, types, strict=True):
        if type is None:
            yield Answer(question, "refused", ())
    if typed:
        yield from ask(flink, typed)


def ask_portion(name: str, asked: dict[Question, bool]) -> None:
    """Asks a Flink that is new, and stores its answers as they come."""
    answers = stored(name)
    for zone in dict.fromkeys(question.zone for question in asked):
        some = {question: alone for question, alone in asked.items() if question.zone == zone}
        print(f"{name}, {zone}: {len(some)} questions", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for found in answer(Flink(zone, Path(folder)), some):
                before = answers.get(found.question)
                if before not in (None, found):
                    print(f"  differs: {found}; it was: {before}", flush=True)
                answers[found.question] = found
                write(name, answers)


def main() -> None:
    """Asks portion by portion, each in a process with a Java of its own.

    What Flink compiles for a question stays in memory as long as its Java lives.
    """
    os.environ.setdefault("JVM_ARGS", "-Xmx1500m")
    # Ends what is asked just now, too, when this process is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")] or families()
    with get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        for name in chosen:
            known = {} if "--all" in sys.argv else stored(name)
            asked = [pair for pair in questions(name).items() if pair[0] not in known]
            for start in range(0, len(asked), PORTION):
                fresh.apply(ask_portion, (name, dict(asked[start : start + PORTION])))
            write(name, stored(name))


if __name__ == "__main__":
    main()
