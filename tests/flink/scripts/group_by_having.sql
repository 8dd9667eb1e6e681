SELECT customer, SUM(amount) AS total FROM orders WHERE amount > 1 GROUP BY customer HAVING COUNT(*) > 4;
