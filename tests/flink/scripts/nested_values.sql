SELECT id, ARRAY[customer, amount], MAP['item', item], ROW(id, item), JSON_VALUE('{"a": 7}', '$.a'), CARDINALITY(SPLIT(item, 'p')),
  X'00ff' AS binary_value, CAST(NULL AS INT) AS no_value, 'é "x" \' AS quoted
FROM orders WHERE item IS NOT NULL;
