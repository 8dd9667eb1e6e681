-- Departures, delay and distinct aircraft so far today, per airport: a row an hour, each the total
-- since local midnight. Append-only, driven by event time alone.
SET 'table.local-time-zone' = 'America/New_York';

CREATE TABLE flights (
  scheduled  TIMESTAMP_LTZ(3),
  departed   TIMESTAMP_LTZ(3),                       -- NULL: cancelled
  carrier    STRING,
  flight     INT,
  tailnum    STRING,
  origin     STRING,
  dest       STRING,
  dep_delay  INT,                                    -- minutes
  event_time AS COALESCE(departed, scheduled),
  -- The stream comes in order of schedule and no plane leaves more than 45 minutes early, so a
  -- plane that is a day late does not make all others late.
  WATERMARK FOR event_time AS scheduled - INTERVAL '45' MINUTE
) WITH ('connector' = 'filesystem', 'path' = 'out/flights/flights.parquet', 'format' = 'parquet');

CREATE TABLE departures_today (
  origin       STRING,
  window_start TIMESTAMP(3),
  window_end   TIMESTAMP(3),
  departures   BIGINT,
  cancelled    BIGINT,
  delay        BIGINT,
  aircraft     BIGINT
) WITH ('connector' = 'filesystem', 'path' = 'out/flights/departures_today', 'format' = 'csv');

INSERT INTO departures_today
SELECT
  origin,
  window_start,
  window_end,
  COUNT(departed) AS departures,
  COUNT(*) FILTER (WHERE departed IS NULL) AS cancelled,
  SUM(CAST(dep_delay AS BIGINT)) AS delay,
  COUNT(DISTINCT tailnum) FILTER (WHERE departed IS NOT NULL) AS aircraft
FROM TABLE(CUMULATE(TABLE flights, DESCRIPTOR(event_time), INTERVAL '1' HOUR, INTERVAL '1' DAY))
GROUP BY origin, window_start, window_end;
