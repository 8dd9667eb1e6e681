CREATE TABLE few (id BIGINT, item STRING) WITH ('connector' = 'filesystem', 'path' = 'out/few', 'format' = 'json');
INSERT INTO few (id) SELECT id FROM orders WHERE amount < 4;
EXECUTE INSERT INTO few SELECT order_id, kind FROM payments;
