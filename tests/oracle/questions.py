"""Questions to Flink and its answers, as files hold them.

A line of ``<family>.txt`` is an expression. It may use the columns of ``edge``, a table of edge
values (``edge.sql``, ``edge.jsonl``), and then has a value for each of its rows. Other lines:
``# remark``; ``zone Europe/Berlin``, the session's time zone from there on; ``aggregates``: what
follows are aggregates over the table, with one final value. ``! expression``: will fail, so ask it
alone.

A line of ``<family>.jsonl`` is an answer: the type, and the values as CAST to STRING prints them
(hexadecimal for binary values); or the type is ``refused`` (no valid SQL) or ``fails`` (a value
fails the job).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DIFFERENCES = "differences"
"""Name of the file that lists questions we answer otherwise."""
COLUMNS = frozenset(re.findall(r"^  `?(\w+)`? ", (HERE / "edge.sql").read_text(), re.MULTILINE))


@dataclass(frozen=True, slots=True)
class Question:
    """An expression, and what its value depends on."""

    expression: str
    zone: str = "UTC"
    aggregate: bool = False

    @property
    def reads_table(self) -> bool:
        bare = re.sub(r"'(?:[^']|'')*'", "", self.expression)
        return self.aggregate or not COLUMNS.isdisjoint(re.findall(r"\w+", bare))

    def query(self, expressions: list[str]) -> str:
        """A query for the values of expressions of the same kind."""
        named = (f"{expression} AS c{n}" for n, expression in enumerate(expressions))
        return f"SELECT {', '.join(named)}" + (" FROM edge" if self.reads_table else "")


@dataclass(frozen=True, slots=True)
class Answer:
    """What Flink says; no values where the type is ``refused`` or ``fails``."""

    question: Question
    type: str
    values: tuple[str | None, ...]


def families() -> list[str]:
    """Names of the files with questions."""
    return sorted(path.stem for path in HERE.glob("*.txt") if path.stem != DIFFERENCES)


def questions(family: str) -> dict[Question, bool]:
    """Questions of a file in order, and whether each is to be asked alone."""
    zone, aggregate = "UTC", False
    found: dict[Question, bool] = {}
    for line in (HERE / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("zone "):
            zone = line.removeprefix("zone ")
        elif line == "aggregates":
            aggregate = True
        elif line and not line.startswith("#"):
            found[Question(line.removeprefix("! "), zone, aggregate)] = line.startswith("! ")
    return found


def stored(family: str) -> dict[Question, Answer]:
    """Answers to the questions of a file, as far as there are any."""
    path = HERE / f"{family}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {answer.question: answer for answer in map(_read, lines)}


def _read(line: str) -> Answer:
    held = json.loads(line)
    question = Question(held["expression"], held.get("zone", "UTC"), held.get("aggregate", False))
    return Answer(question, held["type"], tuple(held.get("values", ())))


def write(family: str, answers: Mapping[Question, Answer]) -> None:
    """Stores the answers in the order of the questions; what is no longer asked goes."""
    lines = [_line(answers[question]) for question in questions(family)]
    (HERE / f"{family}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(answer: Answer) -> str:
    question = answer.question
    held: dict[str, object] = {"expression": question.expression}
    if question.zone != "UTC":
        held["zone"] = question.zone
    if question.aggregate:
        held["aggregate"] = True
    held["type"] = answer.type
    if answer.values:
        held["values"] = answer.values
    return json.dumps(held, ensure_ascii=False) + "\n"
