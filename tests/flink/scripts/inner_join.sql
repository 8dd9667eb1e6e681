SELECT o.id, o.item, c.name, c.country FROM orders AS o JOIN customers AS c ON o.customer = c.id WHERE o.amount > 2;
