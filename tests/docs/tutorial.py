"""The page on changing a running query: ten edits of one script, with the report on each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sameriver import check
from sameriver.compat.render import report_text

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "change-a-running-query.md"

SCRIPT = """CREATE TABLE orders (
  order_id BIGINT, customer BIGINT, region STRING, product STRING, amount BIGINT, qty INT,
  order_time TIMESTAMP(3), WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE totals (region STRING, total BIGINT, most INT, buyers BIGINT)
WITH ('connector' = 'print');

INSERT INTO totals
SELECT region, SUM(amount) AS total, MAX(qty) AS most, COUNT(DISTINCT customer) AS buyers
FROM orders
GROUP BY region;
"""

INTRO = """# Change a running query

A job has been running for weeks, and its query has to change. What becomes of its state depends on
the edit. This page takes one script, edits it in ten typical ways, and shows what
`sameriver check old.sql new.sql` says to each. The reports are not written by hand: a test makes
them.

```sql
{script}```

Its state, as `sameriver explain` shows it: for each region a sum, a maximum, and the customers
that were seen.
"""

OUTRO = """
## What to do with a verdict

- **FULLY_COMPATIBLE**: run the new script on the state of the old one.
- **PARTIALLY_COMPATIBLE**: the same, if it is all right that the columns named start empty.
- **INCOMPATIBLE**: the old state is of no use to the new query. Start over, or fill the new version
  from history.
- **UNKNOWN**: say which functions give the same results as before, or treat it as INCOMPATIBLE.

How strict each operator is: [check](../reference/check.md). How to ask in a pull request:
[check changes in review](../how-to/check-changes-in-review.md).
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the script: what it is called, what it replaces, and options."""

    title: str
    text: str
    changes: tuple[tuple[str, str], ...]
    config: tuple[tuple[str, str], ...] = ()


GROUP = "GROUP BY region;"
FILTER = "table.optimizer.state-compatibility.ignore-filter"
EDITS = (
    Edit(
        "Other names",
        "Aliases, formatting and views are in no state.",
        (
            ("SELECT region,", "SELECT r AS region,"),
            ("FROM orders", "FROM (SELECT region AS r, amount, qty, customer FROM orders) AS o"),
            (GROUP, "GROUP BY r;"),
        ),
    ),
    Edit(
        "One aggregate less",
        "Its state is dropped, the others go on.",
        (("MAX(qty) AS most", "CAST(NULL AS INT) AS most"),),
    ),
    Edit(
        "One aggregate replaced",
        "The new one has no history; it starts empty.",
        (("MAX(qty)", "MIN(qty)"),),
    ),
    Edit(
        "An aggregate over something else",
        "What an aggregate is computed from is part of what it means.",
        (("SUM(amount)", "SUM(amount * qty)"),),
    ),
    Edit(
        "Another DISTINCT",
        "Which values were seen can't be told from the old state.",
        (("DISTINCT customer", "DISTINCT product"),),
    ),
    Edit(
        "One more key",
        "State is kept by key.",
        (
            ("SELECT region,", "SELECT region || product AS region,"),
            (GROUP, "GROUP BY region, product;"),
        ),
    ),
    Edit(
        "A filter",
        "The sums were built with rows that the filter now drops.",
        ((GROUP, "WHERE qty > 0\nGROUP BY region;"),),
    ),
    Edit(
        "The same filter, accepted",
        f"With `{FILTER}` set the state goes on, and the report says what it may still hold.",
        ((GROUP, "WHERE qty > 0\nGROUP BY region;"),),
        ((FILTER, "true"),),
    ),
    Edit(
        "One more sink without state",
        "A branch that keeps no state needs none.",
        (
            (
                GROUP,
                "GROUP BY region;\n\nCREATE TABLE big_orders (order_id BIGINT, amount BIGINT)"
                " WITH ('connector' = 'print');\nINSERT INTO big_orders SELECT order_id, amount"
                " FROM orders WHERE amount > 1000;",
            ),
        ),
    ),
    Edit(
        "Totals per hour",
        "Windows keep other state than totals for ever do.",
        (
            (
                "FROM orders",
                "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))",
            ),
            (GROUP, "GROUP BY region, window_start, window_end;"),
        ),
    ),
)


def page() -> str:
    """The whole page."""
    parts = [INTRO.format(script=SCRIPT)]
    for number, edit in enumerate(EDITS, 1):
        parts.append(f"\n## {number}. {edit.title}\n\n{edit.text}\n{_shown(edit)}")
    return "".join(parts) + OUTRO


def _shown(edit: Edit) -> str:
    new = SCRIPT
    for before, after in edit.changes:
        assert before in new, before
        new = new.replace(before, after)
    report = check(SCRIPT, new, dict(edit.config))
    text = report_text(report, "old.sql", "new.sql")
    return f"\n```diff\n{_diff(new)}```\n\n```text\n{text}```\n"


def _diff(new: str) -> str:
    """The lines of the query that differ, old ones first."""
    old_lines, new_lines = SCRIPT.splitlines(), new.splitlines()
    gone = [f"- {line}" for line in old_lines if line not in new_lines]
    come = [f"+ {line}" for line in new_lines if line not in old_lines and line]
    return "\n".join([*gone, *come]) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
