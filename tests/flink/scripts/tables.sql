CREATE TABLE orders (
  id BIGINT, item STRING, customer INT, amount INT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'data/orders.jsonl', 'format' = 'json');
CREATE TABLE payments (
  order_id BIGINT, kind STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = 'data/payments.jsonl', 'format' = 'json');
CREATE TABLE customers (id INT, name STRING, country STRING)
WITH ('connector' = 'filesystem', 'path' = 'data/customers.csv', 'format' = 'csv');
CREATE TABLE rates (
  item STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = 'data/rates.jsonl', 'format' = 'json');
CREATE TABLE stock (id INT, shelf STRING, n INT)
WITH ('connector' = 'filesystem', 'path' = 'data/stock.json', 'format' = 'debezium-json');
