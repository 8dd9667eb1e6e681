SELECT P.id, P.name, P.began
FROM (SELECT DISTINCT id, name, time_bucket(INTERVAL '10' SECOND, "dateTime") AS began FROM person) AS P
JOIN (SELECT DISTINCT seller, time_bucket(INTERVAL '10' SECOND, "dateTime") AS began FROM auction) AS A
ON P.id = A.seller AND P.began = A.began
