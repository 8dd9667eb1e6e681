-- Hot items: the auctions with most bids in the last 10 seconds, every 2 seconds.
CREATE TABLE sink (auction BIGINT, num BIGINT) WITH (${sink});

INSERT INTO sink
SELECT counted.auction, counted.num
FROM (
  SELECT auction, COUNT(*) AS num, window_start, window_end
  FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
  GROUP BY auction, window_start, window_end
) AS counted
JOIN (
  SELECT MAX(num) AS most, window_start, window_end
  FROM (
    SELECT COUNT(*) AS num, window_start, window_end
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
    GROUP BY auction, window_start, window_end
  )
  GROUP BY window_start, window_end
) AS hottest
ON counted.window_start = hottest.window_start
  AND counted.window_end = hottest.window_end
  AND counted.num >= hottest.most;
