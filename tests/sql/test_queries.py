# ruff: noqa: E501
from __future__ import annotations

import pytest

from .shapes import query, shape


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", "Select((1))"),
        (
            "SELECT DISTINCT a FROM t WHERE b GROUP BY a HAVING c ORDER BY a DESC NULLS LAST LIMIT 3 OFFSET 1",
            "Select(Distinct(), (a), From(Table(t)), Where(b), Group((a)), Having(c), Order((Ordered(a, True, False))), Limit(3), Offset(1))",
        ),
        ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "Select((a), From(Table(t)), Limit(3))"),
        (
            "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (a), a, ()), ROLLUP (a, (b, c)), CUBE (a)",
            "Select((a), From(Table(t)), Group((GroupingSets((Tuple((a, b)), Tuple((a)), a, Tuple())), Rollup((a, Tuple((b, c)))), Cube((a)))))",
        ),
        (
            "SELECT a FROM t UNION ALL SELECT b FROM u INTERSECT SELECT c FROM v EXCEPT SELECT d FROM w",
            "Except(Union(Select((a), From(Table(t))), Intersect(Select((b), From(Table(u))), Select((c), From(Table(v))), True), False), Select((d), From(Table(w))), True)",
        ),
        (
            "(SELECT a FROM t) UNION (SELECT b FROM u) ORDER BY 1",
            "Union(Subquery(Select((a), From(Table(t)))), Subquery(Select((b), From(Table(u)))), True, Order((Ordered(1, False))))",
        ),
        (
            "WITH x (a) AS (SELECT 1), y AS (SELECT 2) SELECT * FROM x, y",
            "Select((*), From(Table(x)), (Join(Table(y), CROSS)), With((CTE(Select((1)), TableAlias(x, (a))), CTE(Select((2)), TableAlias(y)))))",
        ),
        ("VALUES (1, 'a'), (2, 'b')", "Values((Tuple((1, 'a')), Tuple((2, 'b'))))"),
        ("TABLE t", "Select((*), From(Table(t)))"),
        (
            "SELECT a FROM c.d.t AS x (p, q)",
            "Select((a), From(Table(t, d, c, TableAlias(x, (p, q)))))",
        ),
        (
            "SELECT a FROM (VALUES (1)) AS t (a)",
            "Select((a), From(Subquery(Values((Tuple((1)))), TableAlias(t, (a)))))",
        ),
        (
            "SELECT a FROM (SELECT b FROM u) v",
            "Select((a), From(Subquery(Select((b), From(Table(u))), TableAlias(v))))",
        ),
        (
            "SELECT a FROM t x JOIN u ON x.a = u.a LEFT OUTER JOIN v USING (a) CROSS JOIN w NATURAL FULL JOIN z",
            "Select((a), From(Table(t, TableAlias(x))), (Join(Table(u), EQ(x.a, u.a)), Join(LEFT, Table(v), (a)), Join(CROSS, Table(w)), Join(NATURAL, FULL, Table(z))))",
        ),
        (
            "SELECT a FROM (t CROSS JOIN u) JOIN v ON TRUE",
            "Select((a), From(Subquery(Table(t, (Join(CROSS, Table(u)))))), (Join(Table(v), True)))",
        ),
        (
            "SELECT a FROM t CROSS JOIN UNNEST(t.arr) WITH ORDINALITY AS x (y, i)",
            "Select((a), From(Table(t)), (Join(CROSS, Unnest((t.arr), True, TableAlias(x, (y, i))))))",
        ),
        (
            "SELECT a FROM t LEFT JOIN LATERAL TABLE(f(b)) AS s (y) ON TRUE",
            "Select((a), From(Table(t)), (Join(LEFT, Lateral(F(b), TableAlias(s, (y))), True)))",
        ),
        (
            "SELECT a FROM t CROSS APPLY f(b) AS s",
            "Select((a), From(Table(t)), (Join(Lateral(F(b), TableAlias(s), True), CROSS)))",
        ),
        (
            "SELECT a FROM t OUTER APPLY TABLE(f(b)) AS s",
            "Select((a), From(Table(t)), (Join(Lateral(F(b), TableAlias(s), False), LEFT, True)))",
        ),
        ("SELECT a FROM TABLE(f(1)) AS s", "Select((a), From(Table(F(1), TableAlias(s))))"),
        (
            "SELECT a FROM t JOIN u FOR SYSTEM_TIME AS OF t.proc AS x ON t.a = x.a",
            "Select((a), From(Table(t)), (Join(Table(u, Version(SYSTEM_TIME, AS OF, t.proc), TableAlias(x)), EQ(t.a, x.a))))",
        ),
        (
            "SELECT /*+ STATE_TTL('t' = '1d', u = '2s'), BROADCAST(t) */ a FROM t /*+ OPTIONS('k' = 'v') */ AS x",
            "Select(Hint((STATE_TTL(EQ('t', '1d'), EQ('u', '2s')), BROADCAST('t'))), (a), From(Table(t, (Hint((OPTIONS(EQ('k', 'v'))))), TableAlias(x))))",
        ),
        (
            "SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' SECOND)) AS w",
            "Select((a), From(Tvf(TUMBLE, Table(t), ts, {SIZE: Interval('1', MINUTE), OFFSET: Interval('1', SECOND)})))",
        ),
        (
            "SELECT a FROM HOP(TABLE c.d.t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)",
            "Select((a), From(Tvf(HOP, Table(t, d, c), ts, {SLIDE: Interval('1', MINUTE), SIZE: Interval('2', MINUTE)})))",
        ),
        (
            "SELECT a FROM TABLE(CUMULATE(SIZE => INTERVAL '1' DAY, DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), STEP => INTERVAL '1' HOUR))",
            "Select((a), From(Tvf(CUMULATE, Table(t), ts, {SIZE: Interval('1', DAY), STEP: Interval('1', HOUR)})))",
        ),
        (
            "SELECT a FROM TABLE(SESSION(TABLE t PARTITION BY a, b, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
            "Select((a), From(Tvf(SESSION, Table(t), ts, {GAP: Interval('1', MINUTE)}, (a, b))))",
        ),
        (
            "SELECT a FROM TABLE(SESSION(DATA => TABLE t PARTITION BY (a, b), TIMECOL => DESCRIPTOR(ts), GAP => INTERVAL '1' MINUTE))",
            "Select((a), From(Tvf(SESSION, Table(t), ts, {GAP: Interval('1', MINUTE)}, (a, b))))",
        ),
        (
            "SELECT a FROM TABLE(TUMBLE((SELECT * FROM t), DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
            "Select((a), From(Tvf(TUMBLE, Subquery(Select((*), From(Table(t)))), ts, {SIZE: Interval('1', MINUTE)})))",
        ),
        (
            "SELECT a FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts MEASURES FINAL LAST(A.x) AS x ONE ROW PER MATCH AFTER MATCH SKIP TO LAST A PATTERN (A B{2,3}? (C | D)*) WITHIN INTERVAL '1' HOUR DEFINE A AS A.x > 1, B AS TRUE) AS m",
            "Select((a), From(MatchRecognize(Table(t), (a), Order((Ordered(ts, False))), (MatchRecognizeMeasure(Alias(LAST(A.x), x), FINAL)), ONE ROW PER MATCH, AFTER MATCH SKIP TO LAST A, A B{2,3}? (C | D)*, Interval('1', HOUR), (Alias(GT(A.x, 1), A), Alias(True, B)), TableAlias(m))))",
        ),
        (
            "SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY ts)",
            "Select((Window(SUM(a), w, OVER)), From(Table(t)), (Window(w, (b), Order((Ordered(ts, False))))))",
        ),
    ],
)
def test_query_keeps_the_shape_that_was_written(sql: str, expected: str) -> None:
    assert shape(query(sql)) == expected
