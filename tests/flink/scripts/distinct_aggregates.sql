SELECT item, COUNT(DISTINCT customer) AS customers, SUM(amount) FILTER (WHERE price > 5) AS dear, COUNT(DISTINCT customer) FILTER (WHERE amount > 3) AS many
FROM orders GROUP BY item;
