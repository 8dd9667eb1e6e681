SELECT bidder, COUNT(*), MIN("dateTime"), MAX("dateTime") + INTERVAL '10' SECOND
FROM (
  SELECT bidder, "dateTime", COALESCE(SUM(fresh) OVER (PARTITION BY bidder ORDER BY "dateTime"), 0) AS session
  FROM (
    SELECT bidder, "dateTime", CAST("dateTime" - LAG("dateTime") OVER (
      PARTITION BY bidder ORDER BY "dateTime") >= INTERVAL '10' SECOND AS INT) AS fresh
    FROM bid
  )
)
GROUP BY bidder, session
