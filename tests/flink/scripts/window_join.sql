SELECT o.id, p.kind, o.window_start
FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))) AS o
JOIN (SELECT * FROM TABLE(TUMBLE(TABLE payments, DESCRIPTOR(ts), INTERVAL '10' SECOND))) AS p
ON o.id = p.order_id AND o.window_start = p.window_start AND o.window_end = p.window_end;
