SELECT customer, window_start, window_end, COUNT(*) AS n
FROM TABLE(SESSION(TABLE orders PARTITION BY customer, DESCRIPTOR(ts), INTERVAL '8' SECOND)) GROUP BY customer, window_start, window_end;
