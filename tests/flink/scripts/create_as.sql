CREATE TABLE prices WITH ('connector' = 'filesystem', 'path' = 'out/prices', 'format' = 'json')
AS SELECT id, price * 2 AS twice, CASE WHEN item IS NULL THEN 'none' ELSE item END AS item FROM orders;
