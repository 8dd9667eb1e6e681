"""Jobs over files that grow: windows close as lines come, and silent files hold nothing back."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from sameriver import Session
from sameriver.engine.driver import Progress

WINDOWS = """
CREATE TABLE {name} (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json',
  'source.monitor-interval' = '5 ms');
"""
OUT = """
CREATE TABLE sums (window_start TIMESTAMP(3), n INT) WITH (
  'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
INSERT INTO sums SELECT window_start, CAST(SUM(n) AS INT)
FROM TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
"""


Step = tuple[int, Callable[[], None]]
"""What to do after so many rows have come in."""


def add(path: Path, *rows: tuple[int, str]) -> None:
    with path.open("a") as file:
        for n, minute in rows:
            file.write(json.dumps({"n": n, "ts": f"2026-01-01 10:{minute}"}) + "\n")


def shown(path: Path) -> list[tuple[str, int]]:
    files = sorted(path.glob("part-*"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return sorted((row["window_start"][14:16], row["n"]) for row in rows)


def run_until(path: Path, script: str, count: int, steps: Sequence[Step]) -> None:
    """Runs the script until so many rows are out, or for 20 s."""
    stop, left = threading.Event(), list(steps)

    def watch(at: Progress) -> None:
        while left and at.rows_in >= left[0][0]:
            left.pop(0)[1]()
        if len(shown(path)) >= count or at.seconds > 20:
            stop.set()

    Session().execute(script, stop=stop, progress=watch)


def test_windows_close_as_lines_come(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    file = tmp_path / "in" / "a.json"
    add(file, (1, "00:05"), (2, "00:50"))
    script = WINDOWS.format(name="src", path=tmp_path / "in")
    script += OUT.format(name="src", path=tmp_path / "out")
    steps = [
        (2, lambda: add(file, (4, "01:10"))),
        (3, lambda: add(tmp_path / "in" / "b.json", (8, "02:10"))),
    ]
    run_until(tmp_path / "out", script, 2, steps)
    assert shown(tmp_path / "out") == [("00", 3), ("01", 4)]


def test_a_silent_file_holds_no_watermark_back(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    add(tmp_path / "a.json", (1, "00:05"))
    add(tmp_path / "b.json", (2, "00:50"), (3, "07:00"))
    script = "SET 'table.exec.source.idle-timeout' = '200 ms';"
    for name in ("a", "b"):
        script += WINDOWS.format(name=name, path=tmp_path / f"{name}.json")
    script += "CREATE VIEW both_files AS SELECT * FROM a UNION ALL SELECT * FROM b;"
    script += OUT.format(name="both_files", path=tmp_path / "out")
    more = [(3, lambda: add(tmp_path / "b.json", (5, "08:00")))]
    run_until(tmp_path / "out", script, 2, more)
    assert shown(tmp_path / "out")[0] == ("00", 3)
