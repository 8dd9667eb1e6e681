-- All events as one stream, a column for each field: CSV has no rows within rows.
CREATE TABLE events (
  event_type INT,
  person_id BIGINT, person_name STRING, person_emailAddress STRING, person_creditCard STRING,
  person_city STRING, person_state STRING, person_extra STRING,
  auction_id BIGINT, auction_itemName STRING, auction_description STRING,
  auction_initialBid BIGINT, auction_reserve BIGINT, auction_expires TIMESTAMP(3),
  auction_seller BIGINT, auction_category BIGINT, auction_extra STRING,
  bid_auction BIGINT, bid_bidder BIGINT, bid_price BIGINT, bid_channel STRING, bid_url STRING,
  bid_extra STRING,
  `dateTime` TIMESTAMP(3),
  WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH (${options});
