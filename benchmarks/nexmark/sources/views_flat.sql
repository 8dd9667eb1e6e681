-- The same of flat files.
CREATE VIEW person AS
SELECT person_id AS id, person_name AS name, person_emailAddress AS emailAddress,
  person_creditCard AS creditCard, person_city AS city, person_state AS state,
  `dateTime`, person_extra AS extra
FROM events WHERE event_type = 0;

CREATE VIEW auction AS
SELECT auction_id AS id, auction_itemName AS itemName, auction_description AS description,
  auction_initialBid AS initialBid, auction_reserve AS reserve, `dateTime`,
  auction_expires AS expires, auction_seller AS seller, auction_category AS category,
  auction_extra AS extra
FROM events WHERE event_type = 1;

CREATE VIEW bid AS
SELECT bid_auction AS auction, bid_bidder AS bidder, bid_price AS price, bid_channel AS channel,
  bid_url AS url, `dateTime`, bid_extra AS extra
FROM events WHERE event_type = 2;
