-- The highest bids of each 10 seconds.
CREATE TABLE sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING
) WITH (${sink});

INSERT INTO sink
SELECT B.auction, B.bidder, B.price, B.`dateTime`, B.extra
FROM bid AS B
JOIN (
  SELECT MAX(price) AS most, window_end AS ended
  FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end
) AS highest
ON B.price = highest.most
WHERE B.`dateTime` BETWEEN highest.ended - INTERVAL '10' SECOND AND highest.ended;
