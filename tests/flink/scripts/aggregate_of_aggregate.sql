SELECT total, COUNT(*) AS n FROM (SELECT item, customer, SUM(amount) AS total FROM orders GROUP BY item, customer) GROUP BY total;
