SELECT id, SUBSTRING(item FROM 2 FOR 3), CHAR_LENGTH(item), item || '-' || CAST(id AS STRING), LPAD(item, 7, '*'),
  REPLACE(item, 'p', 'P'), POSITION('e' IN item), REGEXP_EXTRACT(item, '([a-e]+)', 1), TRIM(BOTH 'p' FROM item), MD5(item)
FROM orders;
