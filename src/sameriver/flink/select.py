"""The changelog of a SELECT that Flink runs, with the values that the embedded engine gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

from sameriver.common.schema import Field, Schema
from sameriver.common.types import APPROXIMATE, BINARIES, INTEGERS, DataType, Root
from sameriver.flink.failures import flink_errors
from sameriver.flink.gateway import Environment
from sameriver.flink.launch import give_up
from sameriver.flink.rest import Rest
from sameriver.flink.run import Watch, has_ended
from sameriver.flink.script import QueryJob

_POLL = 0.05
"""Seconds between two looks for rows."""
_PATIENCE = 30
"""Seconds that the reading of rows may take to end."""
_MOST = 10_000
"""Changes that are handed on together."""

Batch = tuple[list[str], list[list[object]]]
"""Change kinds, and rows with values as ``session.render`` gives them."""


def changelog(
    environment: Environment, job: QueryJob, stop: Event, watch: Watch
) -> Iterator[Batch]:
    """Submits a query and gives its changes as they come; ``stop`` cancels it.

    Raises:
        UserError: FLINK_REFUSED, NOT_ON_FLINK.
        ExternalError: JOB_FAILED, JOB_CANCELED, FLINK_FAILED, and what the cluster refuses.
    """
    environment.set(job.options)
    texts = [field for field in job.schema if field.type.root not in BINARIES]
    binaries = [field for field in job.schema if field.type.root in BINARIES]
    columns = [_as_json(texts), *(_name(field) for field in binaries)]
    result = environment.query(job.place.sql, columns, place=job.place)
    with flink_errors(job.place):
        id = str(result.getJobClient().get().getJobID().toString())
        rows = result.collect()
    rest = Rest(environment.gateway.rest)
    order = [field.name for field in (*texts, *binaries)]
    read = _Reading(environment, rows)
    alive = True
    try:
        while alive and not stop.is_set():
            # rows may have come after the last look and before the end
            alive = not read.ended.wait(_POLL)
            for shown in read.taken():
                yield _batch(shown, job.schema, order)
            watch(rest, id)
        if not stop.is_set() and read.failure is not None:
            has_ended(rest, id, job.place.position)
            raise read.failure
    finally:
        if alive:
            give_up(rest, id)
        # it ends with the job; if the cluster is gone it need not be waited for
        read.thread.join(_PATIENCE)


class _Reading:
    """Takes rows from Flink in a thread, since asking for the next one blocks until it is there.

    Attributes:
        ended: set after the last row.
        failure: what ended it, if not the end of the rows.
    """

    def __init__(self, environment: Environment, rows: Any) -> None:
        self._classes = environment.gateway.jvm.classes
        self._aside = environment.gateway.jvm.aside
        self._rows = rows
        self._queue = self._classes.java.util.concurrent.LinkedBlockingQueue()
        self.ended = Event()
        self.failure: Exception | None = None
        self.thread = Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        shaded = self._aside.org.apache.flink.shaded.guava33
        try:
            with flink_errors():
                shaded.com.google.common.collect.Iterators.addAll(self._queue, self._rows)
        except Exception as error:
            self.failure = error
        finally:
            self.ended.set()

    def taken(self) -> Iterator[str]:
        """The rows that have come since, many at a time, as Java prints a list of rows."""
        while True:
            some = self._classes.java.util.ArrayList()
            if not self._queue.drainTo(some, _MOST):
                return
            yield str(some.toString())


def _as_json(fields: list[Field]) -> str:
    """SQL for the values of a row as a JSON array of texts."""
    texts = [f"COALESCE(JSON_QUOTE({_text(field)}), 'null')" for field in fields]
    return "'[' || " + " || ',' || ".join(texts or ["''"]) + " || ']'"


def _text(field: Field) -> str:
    is_variant = field.type.root is Root.VARIANT
    return f"JSON_STRING({_name(field)})" if is_variant else f"CAST({_name(field)} AS STRING)"


def _name(field: Field) -> str:
    return f"`{field.name.replace('`', '``')}`"


def _batch(shown: str, schema: Schema, order: list[str]) -> Batch:
    """Rows of ``[+I[["1", "a"], [0, 10]], -U[...], ...]``: texts, then the bytes of binaries."""
    decode = json.JSONDecoder().raw_decode
    kinds: list[str] = []
    columns: dict[str, list[Any]] = {name: [] for name in order}
    place = 1
    while place < len(shown) - 1:
        kinds.append(shown[place : place + 2])
        (texts, *binaries), end = decode(shown, place + 2)
        for name, value in zip(order, (*texts, *binaries), strict=True):
            columns[name].append(value)
        place = end + len(", ")
    values = [_values(columns[field.name], field.type) for field in schema]
    return kinds, [list(row) for row in zip(*values, strict=True)]


def _values(column: list[Any], type: DataType) -> list[object]:
    match type.root:
        case root if root in INTEGERS:
            return [None if value is None else int(value) for value in column]
        case root if root in APPROXIMATE:
            return [None if value is None else _number(value) for value in column]
        case Root.BOOLEAN:
            return [None if value is None else value == "TRUE" for value in column]
        case root if root in BINARIES:
            return [None if value is None else _hexadecimal(value) for value in column]
    return column


def _number(text: str) -> object:
    """What JSON has no number for stays text."""
    return text if text in ("NaN", "Infinity", "-Infinity") else float(text)


def _hexadecimal(signed: list[int]) -> str:
    return f"x'{bytes(value & 255 for value in signed).hex()}'"
