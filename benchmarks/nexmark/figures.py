"""Figures of one query, and what they come to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field


@dataclass(slots=True)
class Runs:
    """What one engine showed for one query.

    Attributes:
        seconds: the engine's own time of each job that counts.
        rested: those of jobs right after other engines had their turn.
        whole: seconds from the start of the process to the end of its first job; None: the
            process had served other queries before.
        peak: most memory in bytes, resident.
    """

    seconds: list[float] = field(default_factory=list)
    rested: list[float] = field(default_factory=list)
    whole: float | None = None
    peak: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@dataclass(slots=True, kw_only=True)
class Figures:
    """One query on all engines.

    Attributes:
        events: in the file.
        runs: by engine; one that can't run the query has none.
        equal: ``yes``, what differs, or why it can't be compared.
    """

    query: str
    events: int
    runs: dict[str, Runs] = field(default_factory=dict)
    equal: str = ""

    def rate(self, engine: str) -> float | None:
        """Events a second."""
        runs = self.runs.get(engine)
        return self.events / runs.median if runs is not None and runs.seconds else None

    def ratio(self, engine: str) -> float | None:
        """Our events a second over those of another engine."""
        ours, theirs = self.rate("sameriver"), self.rate(engine)
        return None if ours is None or theirs is None else ours / theirs

    def rested(self, engine: str) -> float | None:
        """The ratio of jobs right after a rest."""
        ours, theirs = self.runs.get("sameriver"), self.runs.get(engine)
        if ours is None or theirs is None or not (ours.rested and theirs.rested):
            return None
        return statistics.median(theirs.rested) / statistics.median(ours.rested)

    def memory(self, engine: str) -> float | None:
        """Our peak over that of another engine."""
        ours, theirs = self.runs.get("sameriver"), self.runs.get(engine)
        if ours is None or theirs is None or not theirs.peak:
            return None
        return ours.peak / theirs.peak

    def json(self) -> dict[str, object]:
        """All of it as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Targets:
    """How we want to stand to Flink: least and middle ratio of events/s, greatest of memory."""

    least: float = 5
    middle: float = 10
    memory: float = 1

    def missed(self, found: Sequence[Figures]) -> list[str]:
        """What falls short, a line each."""
        ratios = {f.query: ratio for f in found if (ratio := f.ratio("flink")) is not None}
        lines = [
            f"{query}: {ratio:.1f}x of Flink's events/s, not {self.least:g}x"
            for query, ratio in ratios.items()
            if ratio < self.least
        ]
        if ratios and statistics.median(ratios.values()) < self.middle:
            middle = statistics.median(ratios.values())
            lines.append(f"median: {middle:.1f}x of Flink's events/s, not {self.middle:g}x")
        for one in found:
            memory = one.memory("flink")
            if memory is not None and memory > self.memory:
                lines.append(f"{one.query}: {memory:.2f}x of Flink's peak memory")
        return lines
