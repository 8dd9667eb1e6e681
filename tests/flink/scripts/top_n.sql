SELECT customer, id, price, rn FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY price DESC, id) AS rn FROM orders
) WHERE rn <= 3;
