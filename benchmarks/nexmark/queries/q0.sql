-- Pass through: what reading and handing on costs.
CREATE TABLE sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING
) WITH (${sink});

INSERT INTO sink
SELECT auction, bidder, price, `dateTime`, extra FROM bid;
