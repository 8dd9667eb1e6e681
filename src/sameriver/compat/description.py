"""A job's stateful operators as data: what is compared, and what a savepoint's manifest holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position

VERSION = 1
"""Of the JSON form; raised whenever an older reader would misread it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One part of a trait: a key, an aggregate, a column of stored rows, a condition.

    Attributes:
        meaning: canonical text; two items are the same if meaning, type and reads are.
        text: for people.
        type: SQL type, empty where there is none.
        reads: the columns of tables that the meaning names, with their types.
        position: where the script says it, if known.
        like: what makes an item of the other plan its counterpart, most telling first.
        columns: meanings of the state columns that hold it, of aggregates.
        outputs: the output columns that hang on it, of aggregates.
    """

    meaning: str
    text: str
    type: str = ""
    reads: tuple[str, ...] = ()
    position: Position | None = None
    like: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.meaning, self.type, *self.reads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """What an operator's state hangs on, such as its keys; ``strictness`` says how."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A state column; ``role`` is that of ``common.state.Role``."""

    name: str
    type: str
    meaning: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A state table; ``path`` is what shapes its rows; ``ttl`` in ms, None: for ever."""

    name: str
    columns: tuple[Column, ...]
    path: tuple[str, ...]
    ttl: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A stateful operator.

    Attributes:
        id: its number among the stateful operators, inputs first, as ``stateful_nodes`` lists them;
            of several jobs together, those of earlier jobs go before.
        job: number of its job in the script.
        kind: name of its physical node.
        label: for people.
        position: where the script says it, if known.
        inputs: ids of the stateful operators right below.
        sinks: numbers of the sinks it feeds.
        sources: ``table:connector`` of what it reads, sorted.
        filters: the conditions below it.
        path: what else shapes the rows that reach it, from the sources up.
        traits: what its state hangs on.
        tables: its state.
        functions: digest of each function in Python that feeds it, by name.
    """

    id: int
    job: int = 0
    kind: str
    label: str
    position: Position | None = None
    inputs: tuple[int, ...] = ()
    sinks: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    filters: tuple[Item, ...] = ()
    path: tuple[str, ...] = ()
    traits: tuple[Trait, ...] = ()
    tables: tuple[Table, ...] = ()
    functions: Mapping[str, str]

    def trait(self, name: str) -> tuple[Item, ...]:
        """The items of a trait; none if it has no such trait."""
        return next((trait.items for trait in self.traits if trait.name == name), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """Where rows go.

    Attributes:
        table, connector: empty for a SELECT.
        columns: names.
        meanings: of the columns, in order.
        primary_key: column names.
        options: digest of the other options of the table.
        sources, filters, path: which rows it gets, as for operators.
        position: where the script says it, if known.
    """

    table: str
    connector: str
    columns: tuple[str, ...]
    meanings: tuple[str, ...]
    primary_key: tuple[str, ...] = ()
    options: str = ""
    sources: tuple[str, ...] = ()
    filters: tuple[Item, ...] = ()
    path: tuple[str, ...] = ()
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A table that is read.

    Attributes:
        table, connector: their names.
        columns: as declared, read or not.
        watermark: its expression, empty if there is none.
        primary_key: column names.
        options: digest of the other options of the table.
    """

    table: str
    connector: str
    columns: tuple[str, ...] = ()
    watermark: str = ""
    primary_key: tuple[str, ...] = ()
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDescription:
    """All that a comparison needs to know about a job."""

    operators: tuple[Operator, ...]
    sinks: tuple[Sink, ...]
    sources: tuple[Source, ...]


def together(jobs: Sequence[JobDescription]) -> JobDescription:
    """The jobs of a script as one; ids and numbers of sinks go on from job to job."""
    operators: list[Operator] = []
    sinks: list[Sink] = []
    sources: dict[str, Source] = {}
    for number, job in enumerate(jobs):
        first, fed = len(operators), len(sinks)
        operators += [
            replace(
                operator,
                id=operator.id + first,
                job=number,
                inputs=tuple(id + first for id in operator.inputs),
                sinks=tuple(sink + fed for sink in operator.sinks),
            )
            for operator in job.operators
        ]
        sinks += job.sinks
        sources |= {source.table: source for source in job.sources}
    return JobDescription(
        operators=tuple(operators),
        sinks=tuple(sinks),
        sources=tuple(sources[name] for name in sorted(sources)),
    )
