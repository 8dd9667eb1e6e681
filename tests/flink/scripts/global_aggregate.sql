SELECT COUNT(*) AS n, SUM(price) AS total, STDDEV_POP(amount) AS deviation, COUNT(amount) AS known FROM orders;
