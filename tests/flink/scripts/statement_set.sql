CREATE TABLE cheap (id BIGINT, price DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = 'out/cheap', 'format' = 'csv');
CREATE TABLE sums (item STRING, window_end TIMESTAMP(3), total INT) WITH ('connector' = 'filesystem', 'path' = 'out/sums', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
  INSERT INTO cheap SELECT id, price FROM orders WHERE price < 5;
  INSERT INTO sums SELECT item, window_end, SUM(amount)
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '30' SECOND)) GROUP BY item, window_start, window_end;
END;
