SELECT B.auction, B.bidder, B.price, B."dateTime", B.extra
FROM bid AS B
JOIN (
  SELECT MAX(price) AS most, time_bucket(INTERVAL '10' SECOND, "dateTime") AS began
  FROM bid GROUP BY began
) AS highest
ON B.price = highest.most
WHERE B."dateTime" BETWEEN highest.began AND highest.began + INTERVAL '10' SECOND
