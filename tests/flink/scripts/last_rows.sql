SELECT item, id, price FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY ts DESC) AS rn FROM orders
) WHERE rn = 1;
