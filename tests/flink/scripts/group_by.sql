SELECT item, SUM(amount) AS total, COUNT(*) AS n, AVG(price) AS price, MIN(ts) AS first_ts, MAX(customer) AS customer
FROM orders GROUP BY item;
