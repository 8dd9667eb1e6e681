SELECT o.id, p.kind, p.ts FROM orders AS o JOIN payments AS p
ON o.id = p.order_id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '5' SECOND;
