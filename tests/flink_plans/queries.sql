CREATE TABLE t (k STRING, k2 STRING, v INT, w INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');
CREATE TABLE u (k STRING, k2 STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/u', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, v INT, w INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'debezium-json');
CREATE TABLE o1 (k STRING, s INT) WITH ('connector' = 'print');
CREATE TABLE o2 (k STRING, s INT) WITH ('connector' = 'print');
CREATE TABLE o3 (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print');
SET 'table.exec.mini-batch.enabled' = 'false';
## sum
SELECT k, SUM(v) AS s FROM t GROUP BY k;
## sum_where
SELECT k, SUM(v) AS s FROM t WHERE w > 3 GROUP BY k;
## sum_where_other
SELECT k, SUM(v) AS s FROM t WHERE w > 5 GROUP BY k;
## sum_having
SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING SUM(v) > 3;
## sum_shown_otherwise
SELECT UPPER(k) AS k, SUM(v) + 1 AS s FROM t GROUP BY k;
## sum_ttl
SET 'table.exec.state.ttl' = '1 h';
SELECT k, SUM(v) AS s FROM t GROUP BY k;
## sum_mini_batch
SET 'table.exec.mini-batch.enabled' = 'true';
SELECT k, SUM(v) AS s FROM t GROUP BY k;
## sum_two_phases
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
SELECT k, SUM(v) AS s FROM t GROUP BY k;
## distinct_split
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SELECT k, SUM(v) AS s, COUNT(DISTINCT w) AS d FROM t GROUP BY k;
## max
SELECT k, MAX(v) AS s FROM t GROUP BY k;
## avg
SELECT k, AVG(v) AS s FROM t GROUP BY k;
## sum_of_double
SELECT k, SUM(v * 2) AS s FROM t GROUP BY k;
## sum_of_other
SELECT k, SUM(w) AS s FROM t GROUP BY k;
## sum_by_other
SELECT k2, SUM(v) AS s FROM t GROUP BY k2;
## sum_by_two
SELECT k, k2, SUM(v) AS s FROM t GROUP BY k, k2;
## sum_filter
SELECT k, SUM(v) FILTER (WHERE w > 3) AS s FROM t GROUP BY k;
## sum_and_count
SELECT k, SUM(v) AS s, COUNT(*) AS c FROM t GROUP BY k;
## count_and_sum
SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;
## max_and_count
SELECT k, MAX(v) AS m, COUNT(*) AS c FROM t GROUP BY k;
## sum_taken_back
SELECT k, SUM(v) AS s FROM c GROUP BY k;
## sum_ranked
SELECT k, s FROM (SELECT k, s, ROW_NUMBER() OVER (ORDER BY s DESC) AS rn FROM
(SELECT k, SUM(v) AS s FROM t GROUP BY k)) WHERE rn <= 3;
## sum_and_count_ranked
SELECT k, s, c FROM (SELECT k, s, c, ROW_NUMBER() OVER (ORDER BY s DESC) AS rn FROM
(SELECT k, SUM(v) AS s, COUNT(*) AS c FROM t GROUP BY k)) WHERE rn <= 3;
## sum_joined
SELECT a.k, a.s, u.w FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k) AS a JOIN u ON a.k = u.k;
## sum_of_joined
SELECT t.k, SUM(t.v) AS s FROM t JOIN u ON t.k = u.k GROUP BY t.k;
## one_insert
INSERT INTO o1 SELECT k, SUM(v) FROM t GROUP BY k;
## two_inserts
EXECUTE STATEMENT SET BEGIN
INSERT INTO o1 SELECT k, SUM(v) FROM t GROUP BY k;
INSERT INTO o2 SELECT k2, MAX(w) FROM t GROUP BY k2;
END;
## two_inserts_alike
EXECUTE STATEMENT SET BEGIN
INSERT INTO o1 SELECT k, SUM(v) FROM t GROUP BY k;
INSERT INTO o2 SELECT k, SUM(v) FROM t WHERE w > 3 GROUP BY k;
END;
## two_inserts_alike_other_filter
EXECUTE STATEMENT SET BEGIN
INSERT INTO o1 SELECT k, SUM(v) FROM t WHERE w > 9 GROUP BY k;
INSERT INTO o2 SELECT k, SUM(v) FROM t WHERE w > 3 GROUP BY k;
END;
## other_insert
INSERT INTO o2 SELECT k, SUM(v) FROM t GROUP BY k;
## upserted
INSERT INTO o3 SELECT k, w FROM c;
## last
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t) WHERE rn = 1;
## last_where
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t WHERE w > 3) WHERE rn = 1;
## last_column_more
SELECT k, v, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t) WHERE rn = 1;
## first
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM t) WHERE rn = 1;
## first_mini_batch
SET 'table.exec.mini-batch.enabled' = 'true';
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM t) WHERE rn = 1;
## first_column_more
SELECT k, v, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM t) WHERE rn = 1;
## top
SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 3;
## top_rank_shown
SELECT k, v, rn FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 3;
## top_more
SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 5;
## join
SELECT t.k, t.v, u.w FROM t JOIN u ON t.k = u.k;
## join_where
SELECT t.k, t.v, u.w FROM t JOIN u ON t.k = u.k WHERE t.v > 3;
## join_column_more
SELECT t.k, t.v, u.w, u.v AS v2 FROM t JOIN u ON t.k = u.k;
## left_join
SELECT t.k, t.v, u.w FROM t LEFT JOIN u ON t.k = u.k;
## self_join_left
SELECT a.k, SUM(a.v) AS s FROM t AS a JOIN t AS b ON a.k = b.k2 GROUP BY a.k;
## self_join_right
SELECT a.k, SUM(b.v) AS s FROM t AS a JOIN t AS b ON a.k = b.k2 GROUP BY a.k;
## interval_join
SELECT t.k, t.v, u.w FROM t JOIN u ON t.k = u.k AND t.ts BETWEEN u.ts - INTERVAL '1' MINUTE AND u.ts;
## interval_join_wider
SELECT t.k, t.v, u.w FROM t JOIN u ON t.k = u.k AND t.ts BETWEEN u.ts - INTERVAL '2' MINUTE AND u.ts;
## cumulate
SELECT k, window_end, SUM(v) AS s FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
GROUP BY k, window_start, window_end;
## cumulate_where
SELECT k, window_end, SUM(v) AS s FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
WHERE w > 3 GROUP BY k, window_start, window_end;
## cumulate_longer
SELECT k, window_end, SUM(v) AS s FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '10' MINUTE))
GROUP BY k, window_start, window_end;
## cumulate_and_count
SELECT k, window_end, SUM(v) AS s, COUNT(*) AS c FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
GROUP BY k, window_start, window_end;
## cumulate_two_phases
SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';
SELECT k, window_end, SUM(v) AS s FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))
GROUP BY k, window_start, window_end;
## group_window
SELECT k, SUM(v) AS s FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE);
## group_window_shown
SELECT k, SUM(v) AS s, TUMBLE_END(ts, INTERVAL '1' MINUTE) AS e FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE);
## session
SELECT k, window_end, SUM(v) AS s FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY k, window_start, window_end;
## window_top
SELECT k, v, window_end FROM (SELECT k, v, window_start, window_end, ROW_NUMBER() OVER
(PARTITION BY window_start, window_end ORDER BY v DESC) AS rn
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) WHERE rn <= 2;
## over
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS s FROM t;
## over_longer
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS s FROM t;
## sorted
SELECT k, v FROM t ORDER BY ts;
## sorted_by_arrival
SELECT k, v FROM t ORDER BY pt;
## limited
SELECT k, v FROM t LIMIT 3;
## unnested
SELECT k, SUM(x) AS s FROM t CROSS JOIN UNNEST(ARRAY[v, w]) AS z (x) GROUP BY k;
## cube
SELECT k, k2, SUM(v) AS s FROM t GROUP BY CUBE (k, k2);
## united
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM t UNION ALL SELECT k, v FROM u) GROUP BY k;
## united_turned
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM u UNION ALL SELECT k, v FROM t) GROUP BY k;
## matched
SELECT k, a FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A B) DEFINE B AS B.v > A.v) AS m;
## stateless
SELECT k, v FROM t WHERE v > 3;
## dated
SELECT CAST(TO_TIMESTAMP_LTZ(v, 3) AS DATE) AS d, COUNT(*) AS c FROM t GROUP BY CAST(TO_TIMESTAMP_LTZ(v, 3) AS DATE);
## dated_elsewhere
SET 'table.local-time-zone' = 'Asia/Tokyo';
SELECT CAST(TO_TIMESTAMP_LTZ(v, 3) AS DATE) AS d, COUNT(*) AS c FROM t GROUP BY CAST(TO_TIMESTAMP_LTZ(v, 3) AS DATE);
## sum_elsewhere
SET 'table.local-time-zone' = 'Asia/Tokyo';
SELECT k, SUM(v) AS s FROM t GROUP BY k;
## by_two_turned
SELECT k2, k, SUM(v) AS s FROM t GROUP BY k2, k;
## self_union
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM t WHERE w > 3 UNION ALL SELECT k, w FROM t WHERE v > 3) GROUP BY k;
## interval_rows
SELECT k, MAX(n) AS m FROM (SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts) AS n FROM t) GROUP BY k;
## united_three
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM t UNION ALL SELECT k, v FROM u UNION ALL SELECT k, w FROM u) GROUP BY k;
## united_three_turned
SELECT k, SUM(v) AS s FROM (SELECT k, w AS v FROM u UNION ALL SELECT k, v FROM t UNION ALL SELECT k, v FROM u) GROUP BY k;
