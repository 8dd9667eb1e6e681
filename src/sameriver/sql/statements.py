"""Statements of a script, as the parser gives them. Queries stay sqlglot trees, seen by
``plan/bind`` only."""

from __future__ import annotations

from sqlglot import exp

from sameriver.common.dataclass import dataclass
from sameriver.common.errors import Position
from sameriver.common.types import DataType


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name as written, quotes removed."""

    parts: tuple[str, ...]
    position: Position | None = None

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefinition:
    """A column of CREATE TABLE.

    Physical: ``type``. Computed: ``expression`` (type None), and ``said``, its text. Metadata:
    ``metadata`` holds the key (the column's own name where FROM is left out).
    """

    name: str
    type: DataType | None = None
    expression: exp.Expr | None = None
    said: str = ""
    metadata: str | None = None
    virtual: bool = False
    primary_key: bool = False
    comment: str = ""
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatermarkDefinition:
    """``WATERMARK FOR column AS expression``; None: SOURCE_WATERMARK(). ``said``: its text."""

    column: str
    expression: exp.Expr | None
    said: str = ""
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeClause:
    """``LIKE table (INCLUDING ALL, OVERWRITING WATERMARKS, ...)``; options as upper-case pairs."""

    table: Name
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    name: Name
    columns: tuple[ColumnDefinition, ...] = ()
    watermark: WatermarkDefinition | None = None
    primary_key: tuple[str, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    comment: str = ""
    temporary: bool = False
    if_not_exists: bool = False
    like: LikeClause | None = None
    query: exp.Expr | None = None
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateView:
    """``said`` is the text of the query."""

    name: Name
    columns: tuple[str, ...]
    query: exp.Expr
    said: str = ""
    comment: str = ""
    temporary: bool = False
    if_not_exists: bool = False
    or_replace: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateFunction:
    """``CREATE FUNCTION name AS 'identifier' [LANGUAGE PYTHON]``."""

    name: Name
    identifier: str
    language: str
    temporary: bool = False
    system: bool = False
    if_not_exists: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNamespace:
    """CREATE DATABASE or CREATE CATALOG; ``kind`` is the word."""

    kind: str
    name: Name
    options: tuple[tuple[str, str], ...] = ()
    if_not_exists: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """``kind``: TABLE, VIEW, FUNCTION, DATABASE, CATALOG; ``cascade``: with what it holds."""

    kind: str
    name: Name
    temporary: bool = False
    cascade: bool = False
    if_exists: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """``INSERT INTO table [/*+ hint */] [PARTITION (k = v)] [(columns)] query``."""

    table: Name
    hint: exp.Hint | None = None
    columns: tuple[str, ...] = ()
    partition: tuple[tuple[str, exp.Expr], ...] = ()
    query: exp.Expr
    overwrite: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementSet:
    """``EXECUTE STATEMENT SET BEGIN ... END`` and ``BEGIN STATEMENT SET; ... END``."""

    inserts: tuple[Insert, ...]
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A SELECT whose changelog is shown."""

    query: exp.Expr
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    statement: Statement
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOption:
    """``SET 'key' = 'value'``; without key, SET lists the options."""

    key: str | None = None
    value: str | None = None
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetOption:
    """``RESET ['key']``."""

    key: str | None = None
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """USE [CATALOG | DATABASE]; ``kind`` is CATALOG or DATABASE."""

    kind: str
    name: Name
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """``kind``: TABLES, VIEWS, FUNCTIONS, DATABASES, CATALOGS, CREATE TABLE, ...

    Attributes:
        like: what names are compared with, if anything.
        negated: NOT LIKE.
        any_case: ILIKE.
    """

    kind: str
    name: Name | None = None
    like: str | None = None
    negated: bool = False
    any_case: bool = False
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    name: Name
    position: Position | None = None


Statement = (
    CreateTable
    | CreateView
    | CreateFunction
    | CreateNamespace
    | Drop
    | Insert
    | StatementSet
    | Query
    | Explain
    | SetOption
    | ResetOption
    | Use
    | Show
    | Describe
)
