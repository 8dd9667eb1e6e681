-- Bids of a user in each 10 seconds of processing time.
CREATE TABLE sink (
  bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)
) WITH (${sink});

CREATE VIEW timed AS SELECT *, PROCTIME() AS p_time FROM bid;

INSERT INTO sink
SELECT bidder, COUNT(*) AS bid_count, window_start AS starttime, window_end AS endtime
FROM TABLE(TUMBLE(TABLE timed, DESCRIPTOR(p_time), INTERVAL '10' SECOND))
GROUP BY bidder, window_start, window_end;
