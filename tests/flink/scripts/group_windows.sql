SELECT item, TUMBLE_START(ts, INTERVAL '20' SECOND) AS begins, SUM(amount) AS total, COUNT(*) AS n
FROM orders GROUP BY item, TUMBLE(ts, INTERVAL '20' SECOND);
