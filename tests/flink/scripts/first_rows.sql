SELECT customer, id, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY ts) AS rn FROM orders
) WHERE rn = 1;
