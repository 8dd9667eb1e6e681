"""What the generator of Nexmark is measured by."""

from __future__ import annotations

from benchmarks.nexmark.generator import rate, source


def test_all_columns_of_all_events_are_made() -> None:
    changes = source(60).poll(100).changes
    assert changes is not None
    assert changes.rows.columns == ["event_type", "person", "auction", "bid"]
    assert changes.rows.null_count().row(0) == (0, 58, 54, 8)
    assert len(changes.rows["bid"].struct.fields) == 7
    assert rate(60) > 0
