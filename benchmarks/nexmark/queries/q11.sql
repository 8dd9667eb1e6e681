-- Bids of a user in each session that 10 seconds of silence end.
CREATE TABLE sink (
  bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)
) WITH (${sink});

INSERT INTO sink
SELECT bidder, COUNT(*) AS bid_count,
  SESSION_START(`dateTime`, INTERVAL '10' SECOND) AS starttime,
  SESSION_END(`dateTime`, INTERVAL '10' SECOND) AS endtime
FROM bid
GROUP BY bidder, SESSION(`dateTime`, INTERVAL '10' SECOND);
