SELECT item FROM orders WHERE amount > 7 UNION SELECT item FROM rates UNION ALL SELECT name FROM customers;
