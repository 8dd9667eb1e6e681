SELECT id, UPPER(item) AS item, amount * price AS total, CASE WHEN amount > 5 THEN 'many' ELSE 'few' END AS size
FROM orders WHERE customer <> 3 AND item IS NOT NULL;
