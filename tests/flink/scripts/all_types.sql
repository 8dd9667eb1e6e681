SET 'table.local-time-zone' = 'Asia/Kolkata';
SELECT CAST(id AS TINYINT), CAST(id AS SMALLINT), CAST(price AS FLOAT), CAST(price / 3 AS DOUBLE), CAST(price AS DECIMAL(38, 18)),
  CAST(item AS CHAR(6)), CAST(item AS VARCHAR(2)), CAST(item AS BYTES), CAST(X'' AS VARBINARY(3)), amount > 3,
  CAST(ts AS TIMESTAMP(0)), CAST(ts AS TIMESTAMP(6)), CAST(ts AS TIMESTAMP_LTZ(3)), CAST(ts AS DATE), CAST(ts AS TIME),
  INTERVAL '2' DAY, INTERVAL '14' MONTH, MAP['a', amount], ROW(item, CAST(ts AS DATE), ROW(id, CAST(NULL AS STRING))), ARRAY[item, NULL],
  CAST(CASE WHEN id > 0 THEN 'NaN' END AS DOUBLE), CAST(CASE WHEN id > 0 THEN '-Infinity' END AS FLOAT),
  PARSE_JSON('{"a": [1, "x"]}') AS `variant`, U&'tab\0009, \00e9, "\005c" and \2603' AS text
FROM orders;
