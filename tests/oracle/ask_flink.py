"""Asks Apache Flink about the questions beside this file; ``make oracle`` runs it.

``<family>.txt`` holds questions, ``<family>.jsonl`` gets Flink's answers; ``questions.py`` says
what they look like. Only questions without an answer are asked, unless ``--all`` is given.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment

from .questions import HERE, Answer, Question, families, questions, stored, write

BATCH = 40
"""Expressions of one Flink job."""


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

    def type_of(self, question: Question) -> str | None:
        """The type as Flink prints it; None if the expression is no valid SQL."""
        try:
            table = self.session._j_tenv.sqlQuery(question.query([question.expression]))
            return str(table.getResolvedSchema().getColumnDataTypes().get(0).getLogicalType())
        except Exception as error:
            _no("refused", question, error)
            return None

    def values(self, batch: list[tuple[Question, str]]) -> list[list[str | None]] | str:
        """Values of each expression, row by row; or ``refused`` or ``fails``."""
        stage = "refused"
        try:
            shown = [_shown(question.expression, type) for question, type in batch]
            result = self.session._j_tenv.executeSql(batch[0][0].query(shown))
            stage = "fails"
            rows = list(_rows(result.collect()))
        except Exception as error:
            if len(batch) == 1:
                _no(stage, batch[0][0], error)
            return stage
        rows = rows[-1:] if batch[0][0].aggregate else rows
        return [list(column) for column in zip(*rows, strict=True)]


def _no(stage: str, question: Question, error: Exception) -> None:
    print(f"  {stage}: {question.expression} - {_cause(error)}", flush=True)


def _cause(error: Exception) -> str:
    causes = [line for line in str(error).splitlines() if "Caused by:" in line]
    return (causes[-1] if causes else str(error)[:300]).strip()


def _rows(found: Any) -> Iterator[list[str | None]]:
    while found.hasNext():
        row = found.next()
        values = [row.getField(position) for position in range(row.getArity())]
        yield [value.hex() if isinstance(value, bytes) else value for value in values]


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
    typed: list[tuple[Question, str]] = []
    for question in asked:
        type = flink.type_of(question)
        if type is None:
            yield Answer(question, "refused", ())
        else:
            typed.append((question, type))
    kinds: dict[tuple[bool, bool, bool], list[tuple[Question, str]]] = {}
    for question, type in typed:
        kind = (question.aggregate, question.reads_table, asked[question])
        kinds.setdefault(kind, []).append((question, type))
    for (_, _, alone), alike in kinds.items():
        size = 1 if alone else BATCH
        for start in range(0, len(alike), size):
            yield from ask(flink, alike[start : start + size])


def main() -> None:
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")] or families()
    for name in chosen:
        answers = {} if "--all" in sys.argv else stored(name)
        asked = questions(name)
        with tempfile.TemporaryDirectory() as folder:
            for zone in dict.fromkeys(question.zone for question in asked):
                new = {q: a for q, a in asked.items() if q.zone == zone and q not in answers}
                if new:
                    print(f"{name}, {zone}: {len(new)} questions", flush=True)
                    found = answer(Flink(zone, Path(folder)), new)
                    answers |= {one.question: one for one in found}
        write(name, answers)


if __name__ == "__main__":
    main()
