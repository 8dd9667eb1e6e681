"""Compares a changelog with the expected one and says how they differ."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from sameriver.testing.case import cell_text
from sameriver.testing.scenario import Row


def comparable(value: object) -> object:
    """A JSON value in a form that hashes."""
    return tuple(comparable(v) for v in value) if isinstance(value, list) else value


def as_cells(rows: Iterable[Row]) -> list[Row]:
    """Rows whose values are written as cells of a case: text, None for NULL."""
    return [(kind, tuple(_cell(value) for value in values)) for kind, values in rows]


def _cell(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def line(row: Row) -> str:
    """A row as a case writes it."""
    kind, values = row
    return "  ".join([kind, *(cell_text(_cell(value)) for value in values)])


def same_order(found: Sequence[Row], expected: Sequence[Row]) -> list[str]:
    """Differences line by line; empty if there are none."""
    if list(found) == list(expected):
        return []
    left, right = [line(row) for row in expected], [line(row) for row in found]
    return list(difflib.unified_diff(left, right, "expected", "found", lineterm="", n=2))


def same_text(found: str, expected: str) -> list[str]:
    """Differences of two texts, blank lines at the ends aside."""
    left, right = expected.strip("\n").splitlines(), found.strip("\n").splitlines()
    if left == right:
        return []
    return list(difflib.unified_diff(left, right, "expected", "found", lineterm="", n=2))


def same_changes(found: Sequence[Row], expected: Sequence[Row]) -> list[str]:
    """Differences as multisets of changes."""
    return _differences(Counter(found), Counter(expected))


def same_table(found: Sequence[Row], expected: Sequence[Row]) -> list[str]:
    """Differences of the tables that both changelogs add up to."""
    return _differences(final_table(found), final_table(expected))


def _differences(found: Counter[Row], expected: Counter[Row]) -> list[str]:
    missing, extra = expected - found, found - expected
    lines = [f"-{line(row)}" for row in missing.elements()]
    lines += [f"+{line(row)}" for row in extra.elements()]
    return ["--- expected", "+++ found", *lines] if lines else []


def final_table(rows: Iterable[Row]) -> Counter[Row]:
    """The multiset of rows left at the end, as inserts."""
    table: Counter[Row] = Counter()
    for kind, values in rows:
        table[("+I", values)] += 1 if kind in ("+I", "+U") else -1
    return Counter({row: count for row, count in table.items() if count})


def completed(rows: Sequence[Row], keys: Sequence[int]) -> list[Row]:
    """Upserts with the rows that they replace or delete; ``keys``: places of the primary key.

    Without a key the changelog is complete as it is.
    """
    if not keys:
        return list(rows)
    out: list[Row] = []
    current: dict[tuple[object, ...], tuple[object, ...]] = {}
    for kind, values in rows:
        key = tuple(values[place] for place in keys)
        old = current.pop(key, None)
        if kind == "-D":
            out.append((kind, values if old is None else old))
            continue
        if old is not None:
            out.append(("-U", old))
        out.append((kind, values))
        current[key] = values
    return out


def wrong_retractions(rows: Iterable[Row]) -> list[str]:
    """Each -U and -D that takes back a row which is not there."""
    table: Counter[tuple[object, ...]] = Counter()
    wrong = []
    for kind, values in rows:
        if kind in ("+I", "+U"):
            table[values] += 1
        elif table[values] > 0:
            table[values] -= 1
        else:
            wrong.append(f"{line((kind, values))}   takes back a row that is not there")
    return wrong
