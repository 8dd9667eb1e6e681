CREATE TABLE by_item (id BIGINT, amount INT, item STRING) PARTITIONED BY (item)
WITH ('connector' = 'filesystem', 'path' = 'out/by_item', 'format' = 'json');
INSERT INTO by_item SELECT id, amount, item FROM orders;
