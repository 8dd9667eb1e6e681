-- The same metric in the two ways that people use where CUMULATE is missing. Both write a changelog that
-- takes rows back, and how many rows they write depends on the clock and on batch sizes, not on
-- event time. Compare with cumulate.sql, whose output is append-only.
SET 'table.local-time-zone' = 'America/New_York';

CREATE TABLE flights (
  scheduled  TIMESTAMP_LTZ(3),
  departed   TIMESTAMP_LTZ(3),
  carrier    STRING,
  flight     INT,
  tailnum    STRING,
  origin     STRING,
  dest       STRING,
  dep_delay  INT,
  event_time AS COALESCE(departed, scheduled),
  WATERMARK FOR event_time AS scheduled - INTERVAL '45' MINUTE
) WITH ('connector' = 'filesystem', 'path' = 'out/flights/flights.parquet', 'format' = 'parquet');

-- 1. A daily TUMBLE that fires early, every 10 ms of processing time.
SET 'table.exec.emit.early-fire.enabled' = 'true';
SET 'table.exec.emit.early-fire.delay' = '10 ms';
SET 'sameriver.batch.rows' = '2000';

SELECT
  origin,
  TUMBLE_START(event_time, INTERVAL '1' DAY) AS window_start,
  COUNT(departed) AS departures,
  SUM(CAST(dep_delay AS BIGINT)) AS delay,
  COUNT(DISTINCT tailnum) FILTER (WHERE departed IS NOT NULL) AS aircraft
FROM flights
GROUP BY origin, TUMBLE(event_time, INTERVAL '1' DAY);

-- 2. GROUP BY the day, with mini-batch: one change a key and batch; days never close.
SET 'table.exec.mini-batch.enabled' = 'true';

SELECT
  origin,
  DATE_FORMAT(event_time, 'yyyy-MM-dd') AS flight_day,
  COUNT(departed) AS departures,
  SUM(CAST(dep_delay AS BIGINT)) AS delay,
  COUNT(DISTINCT tailnum) FILTER (WHERE departed IS NOT NULL) AS aircraft
FROM flights
GROUP BY origin, DATE_FORMAT(event_time, 'yyyy-MM-dd');
