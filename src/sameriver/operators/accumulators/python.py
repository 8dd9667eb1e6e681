"""Aggregates that users write in Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from sameriver.common.errors import UserError
from sameriver.functions.failure import failure
from sameriver.functions.python import PythonFunction, call_text
from sameriver.functions.python_values import BAD_VALUE, to_column, to_values
from sameriver.operators.accumulators.accumulator import Rows, Step, Words
from sameriver.operators.accumulators.holders import PoolHolder
from sameriver.plan.expressions import AggregateCall
from sameriver.state.kernels import fold
from sameriver.state.kernels.types import Ints


class PythonHolder(PoolHolder):
    """The accumulator of each slot as JSON text.

    Raises:
        UserError: UNSUPPORTED if rows are taken back and the aggregate has no ``retract``.
    """

    operation = fold.SET
    running = False

    def __init__(
        self, at: int, call: AggregateCall, function: PythonFunction, *, retract: bool
    ) -> None:
        super().__init__(at, pl.String())
        self._call, self._aggregate = call, function.aggregate
        self._types = [argument.type for argument in call.args]
        if retract:
            self._method("retract", "gets rows that are taken back")

    def fold(self, words: Words, rows: Rows) -> Step:
        kept = rows.present()
        touched, groups = np.unique(kept.slots, return_inverse=True)
        accumulators = self._accumulators(words[touched], touched)
        columns = [
            to_values(column, type) for column, type in zip(kept.values, self._types, strict=True)
        ]
        signs = [1] * len(groups) if kept.signs is None else kept.signs.tolist()
        for group, sign, row in zip(
            groups.tolist(), signs, zip(*columns, strict=True), strict=True
        ):
            method = "accumulate" if sign > 0 else "retract"
            self._run(method, accumulators[group], *row)
        ids = np.zeros(len(rows.slots), np.int64)
        mine = slice(None) if rows.signs is None else rows.signs != 0
        ids[mine] = self._put_away(accumulators)[groups]
        signs_of_step = None if rows.signs is None else abs(rows.signs)
        return Step(self.operation, self.at, (ids,), signs_of_step)

    def result(self, words: Words, slots: Ints) -> pl.Series:
        values = [self._run("get_value", one) for one in self._accumulators(words, slots)]
        try:
            return to_column(values, self._call.type)
        except BAD_VALUE:
            raise failure(
                "BAD_RESULT",
                f"'{self._call.function}' gave a value that is no {self._call.type.name},"
                f" one of {values[:3]!r}",
            ).at(self._call.position) from None

    def absorb(
        self, words: Words, into: Ints, other: PythonHolder, slots: Ints, theirs: Words
    ) -> None:
        self._method("merge", "is merged across windows")
        present = np.flatnonzero(theirs[:, self.at + 1])
        others = other._accumulators(theirs[present], slots[present])
        theirs[:, self.at + 1] = 0
        targets, groups = np.unique(into[present], return_inverse=True)
        accumulators = self._accumulators(words[targets], targets)
        for group, one in zip(groups.tolist(), others, strict=True):
            self._run("merge", accumulators[group], [one])
        words[targets, self.at] = self._put_away(accumulators)
        words[targets, self.at + 1] = 1

    def save(self, words: Words) -> list[pl.Series]:
        return [super().result(words, words[:, 0])]

    def _accumulators(self, words: Words, slots: Ints) -> list[Any]:
        """Those of slots; new ones where there are none."""
        texts: Sequence[str | None] = super().result(words, slots).to_list()
        return [
            self._run("create_accumulator") if text is None else json.loads(text) for text in texts
        ]

    def _put_away(self, accumulators: Sequence[Any]) -> Ints:
        """Positions of accumulators that are put away."""
        try:
            texts = [json.dumps(one, allow_nan=True) for one in accumulators]
        except (TypeError, ValueError) as error:
            raise failure(
                "BAD_ACCUMULATOR",
                f"the accumulator of '{self._call.function}' can't be kept: {error};"
                " make it of lists, dicts with text keys, numbers, text, booleans and None",
            ).at(self._call.position) from None
        return self.put(pl.Series(texts, dtype=pl.String))

    def _method(self, name: str, why: str) -> Callable[..., Any]:
        found = getattr(self._aggregate, name, None)
        if callable(found):
            method: Callable[..., Any] = found
            return method
        raise UserError(
            "UNSUPPORTED",
            f"'{self._call.function}' {why}, but has no method '{name}'",
            hint=f"Write '{name}', or aggregate rows that only come in, without merged windows.",
        )

    def _run(self, name: str, *args: Any) -> Any:
        method = self._method(name, f"needs '{name}'")
        try:
            return method(*args)
        except Exception as error:
            raise failure(
                "FUNCTION_FAILED",
                f"'{call_text(f'{self._call.function}.{name}', args)}' failed with"
                f" {type(error).__name__}: {error}",
            ).at(self._call.position) from error
