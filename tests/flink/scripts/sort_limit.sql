SELECT id, price FROM orders ORDER BY price DESC, id LIMIT 4;
