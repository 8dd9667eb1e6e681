CREATE TEMPORARY VIEW dear AS SELECT customer, price FROM orders WHERE price > 4;
WITH totals AS (SELECT customer, COUNT(*) AS n FROM dear GROUP BY customer)
SELECT name, n FROM totals JOIN customers ON customer = id;
