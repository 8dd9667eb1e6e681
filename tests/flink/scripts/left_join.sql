SELECT o.id, c.name FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.id AND c.country <> 'DE';
