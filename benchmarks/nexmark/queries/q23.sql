-- Bids of people who sell, with the person and the auctions: a join of three.
CREATE TABLE sink (
  bidder BIGINT, price BIGINT, channel STRING, url STRING, bid_extra STRING,
  person_id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING,
  person_extra STRING,
  itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  auction_dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT,
  auction_extra STRING
) WITH (${sink});

INSERT INTO sink
SELECT B.bidder, B.price, B.channel, B.url, B.extra,
  P.id, P.name, P.emailAddress, P.creditCard, P.city, P.state, P.extra,
  A.itemName, A.description, A.initialBid, A.reserve, A.`dateTime`, A.expires, A.seller, A.category,
  A.extra
FROM bid AS B
JOIN person AS P ON P.id = B.bidder
JOIN auction AS A ON A.seller = B.bidder;
