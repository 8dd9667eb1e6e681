SELECT id, amount / 2, amount / CAST(4 AS DOUBLE), MOD(id, 7), ROUND(price, 1), FLOOR(price), ABS(customer - 4), POWER(amount, 2),
  CAST(price AS INT), CAST(price AS DOUBLE) * 1.5e0, GREATEST(customer, 3), price > 5
FROM orders;
