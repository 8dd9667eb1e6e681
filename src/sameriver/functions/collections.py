"""Arrays, maps and rows. Positions count from 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from sameriver.common.dataclass import dataclass
from sameriver.common.types import (
    APPROXIMATE,
    BOOLEAN,
    CHARACTERS,
    FIELDED,
    INT,
    STRING,
    VARIANT,
    DataType,
    Root,
    array,
    map_of,
    row,
    to_polars,
)
from sameriver.functions.coercion import chosen_type, common_type, implicit_cast_allowed
from sameriver.functions.failure import fail_where
from sameriver.functions.forms import (
    ANY,
    LIST,
    MAPPING,
    SHORT,
    SYMBOL,
    TEXT,
    TRUTH,
    WHOLE,
    Family,
    Form,
    first,
    fit,
    infer,
    wrong_arguments,
)
from sameriver.functions.members import (
    last_of_each_key,
    other_than,
    per_member,
    within,
    without,
    zipped,
)
from sameriver.functions.signature import (
    UNKNOWN,
    Evaluation,
    Infer,
    Operand,
    Resolved,
    ScalarFunction,
)
from sameriver.functions.variants import item as variant_item

_Args = Sequence[pl.Expr]


def _array(operands: Sequence[Operand]) -> Resolved:
    element = chosen_type([operand.type for operand in operands])
    if element is None or element.root is Root.NULL:
        raise wrong_arguments(
            "ARRAY", operands, ((ANY, ...),), hint="CAST the elements to one type."
        )
    return Resolved((element,) * len(operands), array(element).not_null)


def _make_array(evaluation: Evaluation, args: _Args) -> pl.Expr:
    return _listed(args, to_polars(evaluation.result.children[0]))


def _listed(items: _Args, dtype: pl.DataType | type[pl.DataType]) -> pl.Expr:
    """A list of the items, which are of ``dtype`` and may be lists themselves."""
    return pl.concat_arr([item.cast(dtype) for item in items]).arr.to_list()


def _map(operands: Sequence[Operand]) -> Resolved:
    key = chosen_type([operand.type for operand in operands[::2]])
    value = chosen_type([operand.type for operand in operands[1::2]])
    unknown = (None, Root.NULL)
    if len(operands) % 2 or (key and key.root) in unknown or (value and value.root) in unknown:
        raise wrong_arguments(
            "MAP", operands, ((ANY, ANY, ...),), hint="Write MAP[key, value, key, value, ...]."
        )
    assert key is not None
    assert value is not None
    pairs = (key, value) * (len(operands) // 2)
    return Resolved(pairs, map_of(key, value).not_null)


def _make_map(evaluation: Evaluation, args: _Args) -> pl.Expr:
    entries = [
        pl.struct(key.alias("key"), value.alias("value"))
        for key, value in zip(args[::2], args[1::2], strict=True)
    ]
    key, value = (to_polars(child) for child in evaluation.result.children)
    made = _listed(entries, pl.Struct({"key": key, "value": value}))
    keys = [operand.value for operand in evaluation.operands[::2]]
    if UNKNOWN not in keys and len(set(keys)) == len(keys):
        return made
    return per_member(last_of_each_key, to_polars(evaluation.result), made)


def _row(operands: Sequence[Operand]) -> Resolved:
    types = tuple(operand.type.plain for operand in operands)
    named = ((f"EXPR${n}", type) for n, type in enumerate(types))
    return Resolved(types, row(named).not_null)


def _make_row(evaluation: Evaluation, args: _Args) -> pl.Expr:
    pairs = zip(args, evaluation.result.names, strict=True)
    return pl.struct([arg.alias(name) for arg, name in pairs])


_VARIANT = Family("<variant>", frozenset({Root.VARIANT}))
_KEYED: tuple[Form, ...] = (
    (LIST, WHOLE),
    (MAPPING, ANY),
    (Family("<row>", frozenset({Root.ROW})), WHOLE),
    (_VARIANT, WHOLE),
    (_VARIANT, TEXT),
)


def _item(operands: Sequence[Operand]) -> Resolved:
    container, key = fit("ITEM", _KEYED, operands)
    if container.root is Root.ROW:
        place = operands[1].value
        if not isinstance(place, int) or not 0 < place <= len(container.children):
            raise wrong_arguments("ITEM", operands, _KEYED, hint="Rows take a constant position.")
        return Resolved((container, key), container.children[place - 1].with_nullable(True))
    if container.root is Root.VARIANT:
        return Resolved((container, key), VARIANT)
    if container.root is Root.ARRAY:
        place = operands[1].value
        if isinstance(place, int) and place < 1:
            raise wrong_arguments("ITEM", operands, _KEYED, hint="Positions start at 1.")
        return Resolved((container, key), container.children[0].with_nullable(True))
    wanted, value = container.children
    if not implicit_cast_allowed(key, wanted):
        raise wrong_arguments("ITEM", operands, _KEYED, hint=f"Its keys are {wanted.name}.")
    both = wanted.root in CHARACTERS
    return Resolved(
        (container, key if both else wanted.with_nullable(key.nullable)), value.with_nullable(True)
    )


def _take(evaluation: Evaluation, args: _Args) -> pl.Expr:
    container, key = args
    type = evaluation.operands[0].type
    if type.root is Root.ROW:
        return container.struct.field(type.names[_place(evaluation) - 1])
    if type.root is Root.VARIANT:
        return variant_item(evaluation, args)
    if type.root is Root.ARRAY:
        found = container.list.get(pl.when(key > 0).then(key.cast(pl.Int64) - 1), null_on_oob=True)
        return fail_where(
            (key < 1) & container.is_not_null(),
            found,
            key,
            to_polars(evaluation.result),
            "BAD_INDEX",
            lambda index: f"array positions start at 1, this one is {index}",
        )
    keys = container.list.eval(pl.element().struct.field("key"))
    values = container.list.eval(pl.element().struct.field("value"))
    place = _index_of(keys, key)
    return values.list.get(place, null_on_oob=True)


def _place(evaluation: Evaluation) -> int:
    value = evaluation.operands[1].value
    assert isinstance(value, int)
    return value


def _index_of(items: pl.Expr, wanted: pl.Expr) -> pl.Expr:
    """0-based position of the first equal item, NULL if there is none."""

    def run(series: Sequence[pl.Series]) -> pl.Series:
        lists, sought = series
        rows = max(len(lists), len(sought)) if len(lists) and len(sought) else 0
        if len(lists) != rows:
            lists = lists.new_from_index(0, rows)
        frame = pl.DataFrame({"row": pl.arange(0, rows, eager=True), "items": lists})
        if len(sought) != rows:
            sought = sought.new_from_index(0, rows)
        flat = frame.with_columns(sought=sought).explode("items")
        flat = flat.with_columns(place=pl.int_range(pl.len()).over("row"))
        found = (
            flat.filter(pl.col("items") == pl.col("sought"))
            .group_by("row")
            .agg(pl.col("place").min())
        )
        return frame.join(found, on="row", how="left", maintain_order="left")["place"]

    return pl.map_batches([items, wanted], run, return_dtype=pl.Int64)


def _field(operands: Sequence[Operand]) -> Resolved:
    form: Form = (Family("<row>", frozenset(FIELDED)), SYMBOL)
    holder, name = fit("FIELD", (form,), operands)
    fields = dict(zip(holder.names, holder.children, strict=True))
    type = fields.get(str(operands[1].value))
    if type is None:
        raise wrong_arguments(
            "FIELD", operands, (form,), hint=f"Its fields: {', '.join(holder.names)}."
        )
    return Resolved((holder, name), type.with_nullable(type.nullable or holder.nullable))


def _get_field(evaluation: Evaluation, args: _Args) -> pl.Expr:
    return args[0].struct.field(str(evaluation.operands[1].value))


def _element(evaluation: Evaluation, args: _Args) -> pl.Expr:
    return fail_where(
        args[0].list.len() > 1,
        args[0].list.first(),
        args[0].list.len(),
        to_polars(evaluation.result),
        "NOT_ONE_ELEMENT",
        lambda size: f"ELEMENT of an array of {size}",
    )


def _with_element(name: str, result: Callable[[DataType], DataType]) -> Infer:
    """(array, element): the element is cast to that of the array."""

    def settle(operands: Sequence[Operand]) -> Resolved:
        holder, given = fit(name, ((LIST, ANY),), operands)
        wanted = holder.children[0]
        if not implicit_cast_allowed(given, wanted):
            raise wrong_arguments(name, operands, ((LIST, ANY),), hint=f"Elements: {wanted.name}.")
        type = result(holder)
        return Resolved(
            (holder, wanted.with_nullable(given.nullable)), type.with_nullable(holder.nullable)
        )

    return settle


def _alike(name: str) -> Infer:
    """Arrays that have one type."""

    def settle(operands: Sequence[Operand]) -> Resolved:
        fit(name, ((LIST, ...),), operands)
        common = common_type(operand.type for operand in operands)
        if common is None:
            raise wrong_arguments(name, operands, ((LIST, LIST),))
        return Resolved((common,) * len(operands), common)

    return settle


def _contains(_: Evaluation, args: _Args) -> pl.Expr:
    holder, wanted = args
    return holder.list.contains(wanted, nulls_equal=True)


def _slice(_: Evaluation, args: _Args) -> pl.Expr:
    """An end before the first item is the first one, unless the start lies there too, in Flink."""
    holder, start = args[0], args[1].cast(pl.Int64)
    size = holder.list.len().cast(pl.Int64)
    begin = pl.when(start > 0).then(start - 1).when(start < 0).then(size + start).otherwise(0)
    begin = pl.max_horizontal(begin, pl.lit(0))
    if len(args) == 2:
        return pl.when(start.is_not_null()).then(holder.list.slice(begin))
    last = args[2].cast(pl.Int64)
    end = pl.max_horizontal(pl.when(last < 0).then(size + last + 1).otherwise(last), pl.lit(1))
    count = pl.when((start < -size) & (last < -size)).then(0).otherwise(end - begin)
    known = start.is_not_null() & last.is_not_null()
    return pl.when(known).then(holder.list.slice(begin, pl.max_horizontal(count, pl.lit(0))))


def _join(_: Evaluation, args: _Args) -> pl.Expr:
    known = pl.all_horizontal([arg.is_not_null() for arg in args])
    items = pl.when(known).then(args[0])
    if len(args) == 2:
        return items.list.eval(pl.element().drop_nulls()).list.join(args[1])
    joined = items.list.eval(pl.element().fill_null("\0")).list.join(args[1])
    filler = pl.when(known).then(args[2]).otherwise(pl.lit(""))
    return joined.str.replace_all("\0", filler, literal=True)


def _sort_types(operands: Sequence[Operand]) -> Resolved:
    forms: tuple[Form, ...] = ((LIST,), (LIST, TRUTH), (LIST, TRUTH, TRUTH))
    return infer("ARRAY_SORT", *forms, result=first)(operands)


def _sort(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """``array[, ascending[, NULLs first]]``; NULLs come first if ascending."""
    if len(args) == 1:
        return _ordered(args[0], pl.lit(True), evaluation.result, up=True, early=True)
    rising, early = args[1], args[-1]
    sorted_as: pl.Expr = pl.when(False).then(args[0])
    for up in (True, False):
        for before in (True, False):
            chosen = (rising == up) & (early == before)
            ordered = _ordered(args[0], chosen, evaluation.result, up=up, early=before)
            sorted_as = pl.when(chosen).then(ordered).otherwise(sorted_as)
    return sorted_as


def _ordered(lists: pl.Expr, chosen: pl.Expr, type: DataType, *, up: bool, early: bool) -> pl.Expr:
    """The lists of the chosen rows, sorted.

    All items are sorted at once by row and value: Polars sorts list by list, which takes longer by
    two orders of magnitude.
    """
    dtype = to_polars(type)

    def by_row(items: pl.DataFrame) -> pl.DataFrame:
        falling, late = [False, not up], [False, not early]
        return items.sort("row", "item", descending=falling, nulls_last=late)

    return per_member(by_row, dtype, pl.when(chosen).then(lists))


def _two(name: str) -> Infer:
    """Two arrays that have one type."""
    settle = _alike(name)

    def types(operands: Sequence[Operand]) -> Resolved:
        if len(operands) != 2:
            raise wrong_arguments(name, operands, ((LIST, LIST),))
        return settle(operands)

    return types


def _same_maps(operands: Sequence[Operand]) -> Resolved:
    fit("MAP_UNION", ((MAPPING, ...),), operands)
    common = common_type(operand.type for operand in operands)
    if common is None:
        raise wrong_arguments("MAP_UNION", operands, ((MAPPING, MAPPING, ...),))
    return Resolved((common,) * len(operands), common)


def _map_union(evaluation: Evaluation, args: _Args) -> pl.Expr:
    """Of entries with one key the last counts."""
    return per_member(last_of_each_key, to_polars(evaluation.result), pl.concat_list(list(args)))


def _from_arrays(operands: Sequence[Operand]) -> DataType:
    return map_of(operands[0].type.children[0], operands[1].type.children[0])


def _unary(
    name: str,
    family: Family,
    compute: Callable[[pl.Expr], pl.Expr],
    result: DataType | Callable[[Sequence[Operand]], DataType],
    *,
    nullable: bool | None = None,
) -> ScalarFunction:
    return ScalarFunction(
        name=name,
        infer=infer(name, (family,), result=result, nullable=nullable),
        kernel=lambda e, args: compute(args[0]).cast(to_polars(e.result)),
    )


def _inner(operands: Sequence[Operand]) -> DataType:
    return operands[0].type.children[0]


def _extreme(name: str, best: Callable[[pl.Expr], pl.Expr]) -> ScalarFunction:
    """The largest or smallest item; a NaN is neither, but stays where it comes first."""

    def kernel(evaluation: Evaluation, args: _Args) -> pl.Expr:
        if evaluation.result.root not in APPROXIMATE:
            return best(args[0])
        first = args[0].list.drop_nulls().list.first()
        return pl.when(first.is_nan()).then(first).otherwise(best(args[0]))

    return ScalarFunction(
        name=name, infer=infer(name, (LIST,), result=_inner, nullable=True), kernel=kernel
    )


def _entry_type(operands: Sequence[Operand]) -> DataType:
    key, value = operands[0].type.children
    return array(row((("key", key), ("value", value))))


def _part_of_map(name: str) -> Callable[[pl.Expr], pl.Expr]:
    return lambda value: value.list.eval(pl.element().struct.field(name))


@dataclass(frozen=True, slots=True)
class _Texts(Family):
    """Arrays of strings."""

    def parameter(self, operand: Operand) -> DataType | None:
        holder = Family.parameter(self, operand)
        return holder if holder and holder.children[0].root in CHARACTERS else None


TEXTS = _Texts("<array of strings>", frozenset({Root.ARRAY}))
_COUNTED = Family("<array or map>", frozenset({Root.ARRAY, Root.MAP, Root.MULTISET}))

COLLECTIONS = [
    ScalarFunction(name="ARRAY", infer=_array, kernel=_make_array),
    ScalarFunction(name="MAP", infer=_map, kernel=_make_map),
    ScalarFunction(name="ROW", infer=_row, kernel=_make_row),
    ScalarFunction(name="ITEM", infer=_item, kernel=_take, fallible=True),
    ScalarFunction(name="FIELD", infer=_field, kernel=_get_field),
    _unary("CARDINALITY", _COUNTED, lambda a: a.list.len(), INT),
    ScalarFunction(
        name="ELEMENT",
        infer=infer("ELEMENT", (LIST,), result=_inner),
        kernel=_element,
        fallible=True,
    ),
    ScalarFunction(
        name="ARRAY_CONTAINS",
        infer=_with_element("ARRAY_CONTAINS", lambda _: BOOLEAN),
        kernel=_contains,
    ),
    ScalarFunction(
        name="ARRAY_POSITION",
        infer=_with_element("ARRAY_POSITION", lambda _: INT),
        kernel=lambda _, args: pl.when(args[0].is_not_null() & args[1].is_not_null()).then(
            (_index_of(args[0], args[1]) + 1).fill_null(0).cast(pl.Int32)
        ),
    ),
    ScalarFunction(
        name="ARRAY_APPEND",
        infer=_with_element("ARRAY_APPEND", lambda holder: holder),
        kernel=lambda e, args: pl.when(args[0].is_not_null()).then(
            pl.concat_list(args[0], _listed(args[1:], to_polars(e.result.children[0])))
        ),
    ),
    ScalarFunction(
        name="ARRAY_PREPEND",
        infer=_with_element("ARRAY_PREPEND", lambda holder: holder),
        kernel=lambda e, args: pl.when(args[0].is_not_null()).then(
            pl.concat_list(_listed(args[1:], to_polars(e.result.children[0])), args[0])
        ),
    ),
    ScalarFunction(
        name="ARRAY_CONCAT",
        infer=_alike("ARRAY_CONCAT"),
        kernel=lambda _, args: pl.concat_list(list(args)),
    ),
    ScalarFunction(
        name="ARRAY_UNION",
        infer=_two("ARRAY_UNION"),
        kernel=lambda _, args: pl.concat_list(list(args)).list.unique(maintain_order=True),
    ),
    ScalarFunction(
        name="ARRAY_EXCEPT",
        infer=_two("ARRAY_EXCEPT"),
        kernel=lambda e, args: per_member(without, to_polars(e.result), *args).list.unique(
            maintain_order=True
        ),
    ),
    ScalarFunction(
        name="ARRAY_INTERSECT",
        infer=_two("ARRAY_INTERSECT"),
        kernel=lambda e, args: per_member(within, to_polars(e.result), *args).list.unique(
            maintain_order=True
        ),
    ),
    ScalarFunction(
        name="ARRAY_REMOVE",
        infer=_with_element("ARRAY_REMOVE", lambda holder: holder),
        kernel=lambda e, args: per_member(other_than, to_polars(e.result), *args, nulls=True),
    ),
    ScalarFunction(
        name="ARRAY_JOIN",
        infer=infer("ARRAY_JOIN", (TEXTS, TEXT), (TEXTS, TEXT, TEXT), result=STRING),
        kernel=_join,
    ),
    ScalarFunction(
        name="ARRAY_SLICE",
        infer=infer("ARRAY_SLICE", (LIST, SHORT), (LIST, SHORT, SHORT), result=first),
        kernel=_slice,
    ),
    _unary("ARRAY_DISTINCT", LIST, lambda a: a.list.unique(maintain_order=True), first),
    ScalarFunction(name="ARRAY_SORT", infer=_sort_types, kernel=_sort),
    _unary("ARRAY_REVERSE", LIST, lambda a: a.list.reverse(), first),
    _extreme("ARRAY_MAX", lambda a: a.list.max()),
    _extreme("ARRAY_MIN", lambda a: a.list.min()),
    _unary("MAP_KEYS", MAPPING, _part_of_map("key"), lambda o: array(o[0].type.children[0])),
    _unary("MAP_VALUES", MAPPING, _part_of_map("value"), lambda o: array(o[0].type.children[1])),
    ScalarFunction(
        name="MAP_FROM_ARRAYS",
        infer=infer("MAP_FROM_ARRAYS", (LIST, LIST), result=_from_arrays),
        kernel=lambda e, args: zipped(to_polars(e.result), *args),
        fallible=True,
    ),
    ScalarFunction(name="MAP_UNION", infer=_same_maps, kernel=_map_union),
    _unary("MAP_ENTRIES", MAPPING, lambda a: a, _entry_type),
]
