SET 'table.local-time-zone' = 'America/New_York';
SELECT id, EXTRACT(MINUTE FROM ts), DATE_FORMAT(ts, 'yyyy/MM/dd HH:mm'), FLOOR(ts TO MINUTE), CAST(ts AS DATE),
  TIMESTAMPDIFF(SECOND, TIMESTAMP '2026-01-01 10:00:00', ts), ts + INTERVAL '1' DAY, CAST(ts AS TIMESTAMP_LTZ(3)), CAST(ts AS TIME)
FROM orders;
