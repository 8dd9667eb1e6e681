SELECT window_start, item, price, rn FROM (
  SELECT window_start, window_end, item, price, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS rn
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '20' SECOND))
) WHERE rn <= 2;
