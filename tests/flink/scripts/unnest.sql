SELECT id, letter FROM orders CROSS JOIN UNNEST(SPLIT(item, 'p')) AS t (letter) WHERE item IS NOT NULL;
