"""Sources that fall silent."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sameriver.session import Session

SCRIPT = """
SET 'table.exec.source.idle-timeout' = '{job}';
CREATE TABLE ticks (k INT, ts AS LOCALTIMESTAMP, WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen', 'rows-per-second' = '50');
CREATE TABLE silent (k INT, ts AS LOCALTIMESTAMP, WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json',
  'source.monitor-interval' = '50 ms'{table});
CREATE VIEW both_of_them AS SELECT k, ts FROM ticks UNION ALL SELECT k, ts FROM silent;
SELECT COUNT(*) AS n FROM TABLE(TUMBLE(TABLE both_of_them, DESCRIPTOR(ts), INTERVAL '0.2' SECOND))
GROUP BY window_start, window_end;
"""


@pytest.mark.parametrize(
    ("job", "table", "seconds", "comes"),
    [
        ("100 ms", "", 20, True),
        ("0 ms", ", 'scan.watermark.idle-timeout' = '100 ms'", 20, True),
        ("100 ms", ", 'scan.watermark.idle-timeout' = '1 h'", 1, False),
        ("0 ms", "", 1, False),
    ],
)
def test_a_silent_source_holds_no_watermark_back_for_longer_than_allowed(
    job: str, table: str, seconds: int, comes: bool, tmp_path: Path
) -> None:
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    script = SCRIPT.format(job=job, table=table, folder=tmp_path)
    *_, result = Session().execute(script, stop=stop)
    with result:
        found = next(result.changes(), None)
    timer.cancel()
    assert (found is not None) is comes
