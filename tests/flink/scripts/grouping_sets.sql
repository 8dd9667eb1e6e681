SELECT item, customer, GROUPING(item) AS g, SUM(amount) AS total FROM orders GROUP BY GROUPING SETS ((item, customer), (customer), ());
