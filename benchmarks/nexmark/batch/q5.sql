-- Each bid is in the five windows of 10 seconds that begin every 2 seconds.
WITH counted AS (
  SELECT auction, COUNT(*) AS num, began
  FROM (
    SELECT auction, UNNEST(generate_series(
      time_bucket(INTERVAL '2' SECOND, "dateTime") - INTERVAL '8' SECOND,
      time_bucket(INTERVAL '2' SECOND, "dateTime"), INTERVAL '2' SECOND)) AS began
    FROM bid
  )
  GROUP BY auction, began
)
SELECT auction, num FROM counted QUALIFY num = MAX(num) OVER (PARTITION BY began)
