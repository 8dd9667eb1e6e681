SELECT ARRAY[PARSE_JSON(x)] AS a, ROW(PARSE_JSON(x), 2) AS r, MAP['k', PARSE_JSON(x)] AS m
FROM (VALUES ('1'), ('"x"'), ('{"a":[1,2]}'), (CAST(NULL AS STRING))) AS t(x);
