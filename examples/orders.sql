CREATE TABLE orders (
  item STRING, amount INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'examples/orders.jsonl', 'format' = 'json');

SELECT item, window_start, window_end, SUM(amount) AS total, COUNT(*) AS n
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '1' MINUTE))
GROUP BY item, window_start, window_end;
