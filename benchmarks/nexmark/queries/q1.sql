-- Currency conversion: bids in euros.
CREATE TABLE sink (
  auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), `dateTime` TIMESTAMP(3), extra STRING
) WITH (${sink});

INSERT INTO sink
SELECT auction, bidder, 0.908 * price AS price, `dateTime`, extra FROM bid;
