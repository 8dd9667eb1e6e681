SELECT customer, window_start, window_end, SUM(amount) AS total
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '1' MINUTE)) GROUP BY customer, window_start, window_end;
