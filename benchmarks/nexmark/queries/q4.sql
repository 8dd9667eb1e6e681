-- The average of the highest bids of a category's auctions.
CREATE TABLE sink (id BIGINT, final BIGINT) WITH (${sink});

INSERT INTO sink
SELECT category, AVG(final) AS final
FROM (
  SELECT A.category, MAX(B.price) AS final
  FROM auction AS A, bid AS B
  WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires
  GROUP BY A.id, A.category
)
GROUP BY category;
