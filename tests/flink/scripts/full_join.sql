SELECT t.customer, t.total, c.name
FROM (SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer) AS t FULL JOIN customers AS c ON t.customer = c.id;
