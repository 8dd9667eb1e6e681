-- Bids with what a bounded table says of their auction. Published as a lookup by processing time, for
-- which Flink's wheel has no connector: here the table's rows hold since ever, by event time.
CREATE TABLE side_input (
  key BIGINT, `value` STRING,
  since AS CAST(TIMESTAMP '1970-01-01 00:00:00' AS TIMESTAMP(3)),
  WATERMARK FOR since AS since,
  PRIMARY KEY (key) NOT ENFORCED
) WITH (${side});

CREATE TABLE sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), `value` STRING
) WITH (${sink});

INSERT INTO sink
SELECT B.auction, B.bidder, B.price, B.`dateTime`, S.`value`
FROM (SELECT *, MOD(auction, 10000) AS place FROM bid) AS B
JOIN side_input FOR SYSTEM_TIME AS OF B.`dateTime` AS S ON B.place = S.key;
