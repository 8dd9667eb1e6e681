SELECT id, price FROM orders WHERE price > (SELECT AVG(price) FROM orders);
