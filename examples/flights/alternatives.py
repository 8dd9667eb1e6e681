"""Why CUMULATE: the changelogs of three ways to the same metric, side by side."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from data import prepare
from sameriver import Result, Session

HERE = Path(__file__).parent
NAMES = ("TUMBLE with early fire", "GROUP BY with mini-batch", "CUMULATE")


def queries() -> list[Result]:
    """The two queries of alternatives.sql, and cumulate.sql as a query."""
    session = Session()
    script = (HERE / "alternatives.sql").read_text(encoding="utf-8")
    both = [result for result in session.execute(script) if result.is_query]
    cumulate = (HERE / "cumulate.sql").read_text(encoding="utf-8")
    ddl, _, query = cumulate.partition("INSERT INTO departures_today")
    session = Session()
    session.execute(ddl)
    return [*both, session.sql(query)]


def main() -> None:
    prepare()
    table = Table(title="Rows written by three ways to the same daily metric")
    for heading in ("way", "+I", "-U", "+U", "a consumer must"):
        table.add_column(
            heading, justify="left" if heading in ("way", "a consumer must") else "right"
        )
    for name, result in zip(NAMES, queries(), strict=True):
        kinds: Counter[str] = Counter()
        for batch in result.batches():
            kinds.update(batch.kinds_or_inserts().to_list())
        rows = [f"{kinds[kind]:,}" for kind in (0, 1, 2)]
        table.add_row(name, *rows, "append" if kinds[0] == kinds.total() else "update rows by key")
    Console().print(table)
    print(
        "CUMULATE writes each hour's total once, when event time has passed it; a second run, other"
    )
    print("batches or a slower machine write the same rows. The other two depend on the clock.")


if __name__ == "__main__":
    main()
