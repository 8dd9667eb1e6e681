SELECT window_start, window_end, COUNT(DISTINCT customer) AS customers, MAX(price) AS most
FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)) GROUP BY window_start, window_end;
