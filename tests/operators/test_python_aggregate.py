"""GROUP BY with an aggregate in Python: batches, retraction and restarts against plain Python."""

from __future__ import annotations

from grouping import Change, Grouping, node, table
from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver import udaf
from sameriver.common.schema import Schema
from sameriver.common.types import BIGINT, STRING
from sameriver.plan.expressions import AggregateCall, Column
from sameriver.session.functions import check_function

SCHEMA = Schema.of([("k", STRING), ("n", BIGINT)])


@udaf(result_type="BIGINT")
class Spread:
    """The difference of the largest and the least number, by counts of all numbers."""

    def create_accumulator(self) -> dict[str, int]:
        return {}

    def accumulate(self, accumulator: dict[str, int], n: int | None) -> None:
        accumulator[str(n)] = accumulator.get(str(n), 0) + 1

    def retract(self, accumulator: dict[str, int], n: int | None) -> None:
        accumulator[str(n)] -= 1

    def get_value(self, accumulator: dict[str, int]) -> int | None:
        return spread([None if n == "None" else int(n) for n, c in accumulator.items() if c])


def spread(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return max(known) - min(known) if known else None


CALL = AggregateCall(
    name="s",
    function="SPREAD",
    args=(Column("n", BIGINT),),
    type=BIGINT,
    definition=check_function(Spread, "Spread"),
)
ROWS = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([1, 5, 9, None]))


@settings(max_examples=30, deadline=None)
@given(
    steps=st.lists(st.tuples(ROWS, st.booleans()), max_size=25),
    size=st.integers(1, 6),
    stop=st.integers(0, 6),
    folded=st.booleans(),
)
def test_changes_add_up_to_the_model(
    steps: list[tuple[tuple[str | None, int | None], bool]], size: int, stop: int, folded: bool
) -> None:
    running = Grouping(node(SCHEMA, ["k"], [CALL], retract=True, folded=folded))
    live: list[tuple[str | None, int | None]] = []
    changes: list[Change] = []
    for row, back in steps:
        if back and live:
            changes.append(("-D", live.pop(0)))
        else:
            live.append(row)
            changes.append(("+I", row))
    out: list[Change] = []
    for number, start in enumerate(range(0, len(changes), size)):
        if number == stop:
            running.restart()
        out += running.feed(changes[start : start + size])
    wanted = {(k,): (k, spread([n for key, n in live if key == k])) for k, _ in live}
    assert table(out, 1) == wanted
