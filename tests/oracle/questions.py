"""Questions to Flink and its answers, as files hold them.

A line of ``<family>.txt`` is an expression. It may use the columns of ``edge``, a table of edge
values (``edge.sql``, ``edge.jsonl``), and then has a value for each of its rows. Other lines:
``# remark``; ``zone Europe/Berlin``, the session's time zone from there on; ``aggregates``: what
follows are aggregates over the table, with one final value. ``aggregates of <source> [by <key>]``:
over another source of ``views.sql``, with a final value a key. ``rows of <source> by <key>``: OVER
calls, with a final value a row. ``! expression``: will fail, so ask it alone.

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
    source: str = "edge"
    by: str = ""

    @property
    def final(self) -> bool:
        """Whether it asks what stands in the end, for each key in the order of the keys' text."""
        return self.aggregate or bool(self.by)

    @property
    def reads_table(self) -> bool:
        bare = re.sub(r"'(?:[^']|'')*'", "", self.expression)
        return self.final or not COLUMNS.isdisjoint(re.findall(r"\w+", bare))

    def query(self, expressions: list[str]) -> str:
        """A query for the values of expressions of the same kind; the last column is the key."""
        named = [f"{expression} AS c{n}" for n, expression in enumerate(expressions)]
        if self.by:
            named.append(f"CAST({self.by} AS STRING) AS k")
        text = f"SELECT {', '.join(named)}" + (f" FROM {self.source}" if self.reads_table else "")
        return f"{text} GROUP BY {self.by}" if self.aggregate and self.by else text


@dataclass(frozen=True, slots=True)
class Answer:
    """What Flink says; no values where the type is ``refused`` or ``fails``."""

    question: Question
    type: str
    values: tuple[str | None, ...]


def views() -> list[str]:
    """Statements that declare further sources."""
    text = (HERE / "views.sql").read_text(encoding="utf-8")
    return [one.strip() for one in text.split(";") if one.strip()]


def families() -> list[str]:
    """Names of the files with questions."""
    return sorted(path.stem for path in HERE.glob("*.txt") if path.stem != DIFFERENCES)


def questions(family: str) -> dict[Question, bool]:
    """Questions of a file in order, and whether each is to be asked alone."""
    zone = "UTC"
    asked: tuple[bool, str, str] = False, "edge", ""
    found: dict[Question, bool] = {}
    for line in (HERE / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("zone "):
            zone = line.removeprefix("zone ")
        elif (section := _SECTION.fullmatch(line)) is not None:
            kind, source, by = section.groups(default="")
            asked = kind == "aggregates", source or "edge", by
        elif line and not line.startswith("#"):
            found[Question(line.removeprefix("! "), zone, *asked)] = line.startswith("! ")
    return found


_SECTION = re.compile(r"(aggregates|rows)(?: of (.+?))?(?: by (\S+))?")


def stored(family: str) -> dict[Question, Answer]:
    """Answers to the questions of a file, as far as there are any."""
    path = HERE / f"{family}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {answer.question: answer for answer in map(_read, lines)}


def _read(line: str) -> Answer:
    held = json.loads(line)
    given = {name: held[name] for name in ("zone", "aggregate", "source", "by") if name in held}
    question = Question(held["expression"], **given)
    return Answer(question, held["type"], tuple(held.get("values", ())))


def write(family: str, answers: Mapping[Question, Answer]) -> None:
    """Stores the answers in the order of the questions; what is no longer asked goes."""
    lines = [_line(answers[question]) for question in questions(family) if question in answers]
    (HERE / f"{family}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(answer: Answer) -> str:
    question = answer.question
    held: dict[str, object] = {"expression": question.expression}
    plain = Question(question.expression)
    for name in ("zone", "aggregate", "source", "by"):
        value = getattr(question, name)
        if value != getattr(plain, name):
            held[name] = value
    held["type"] = answer.type
    if answer.values:
        held["values"] = answer.values
    return json.dumps(held, ensure_ascii=False) + "\n"
