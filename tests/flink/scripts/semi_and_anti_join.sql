SELECT id, customer FROM orders
WHERE customer IN (SELECT id FROM customers WHERE country = 'DE') AND NOT EXISTS (SELECT 1 FROM payments WHERE order_id = id AND kind = 'cash');
