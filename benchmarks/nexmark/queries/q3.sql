-- Local items: who sells in three states in category 10, and which auctions.
CREATE TABLE sink (name STRING, city STRING, state STRING, id BIGINT) WITH (${sink});

INSERT INTO sink
SELECT P.name, P.city, P.state, A.id
FROM auction AS A
JOIN person AS P ON A.seller = P.id
WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA');
