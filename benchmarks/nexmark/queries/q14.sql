-- Calculation: times of day and counted letters of bids in a range of prices.
CREATE TABLE sink (
  auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), bidTimeType STRING,
  `dateTime` TIMESTAMP(3), extra STRING, c_counts BIGINT
) WITH (${sink});

INSERT INTO sink
SELECT auction, bidder, 0.908 * price AS price,
  CASE
    WHEN HOUR(`dateTime`) >= 8 AND HOUR(`dateTime`) <= 18 THEN 'dayTime'
    WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime'
    ELSE 'otherTime'
  END AS bidTimeType,
  `dateTime`, extra,
  CAST(CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', '')) AS BIGINT) AS c_counts
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
