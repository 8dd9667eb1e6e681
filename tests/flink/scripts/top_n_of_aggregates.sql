SELECT customer, total FROM (
  SELECT customer, total, ROW_NUMBER() OVER (ORDER BY total DESC, customer) AS rn
  FROM (SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer)
) WHERE rn <= 3;
